// The annex of a flow from its first packet. The frame is decoded anew for that, once a flow: what every packet goes
// through notes nothing.
#include <algorithm>
#include <optional>

#include "core/byte_order.h"
#include "packet/decode/decoder.h"
#include "packet/decode/ip.h"
#include "packet/decode/link_layer.h"
#include "packet/decode/transport.h"

namespace warpmeter::inline packet {
namespace {

// IPv4's header begins 12 bytes before its source address, IPv6's 8.
void note_ip(const IpPacket& packet, Annex& annex) {
  if (packet.version == 4) {
    annex.ttl = packet.source[-4];
    annex.traffic_class = packet.source[-11];
  } else {
    annex.ttl = packet.source[-1];
    annex.traffic_class = static_cast<std::uint8_t>(load_be16(packet.source - 8) >> 4);
  }
  for (const AnnexField field : {AnnexField::ttl, AnnexField::dscp, AnnexField::ecn}) annex.set(field);
}

// RFC 9293, section 3.1: kinds 0 and 1 are one byte, all others tell their length. What lies behind the end of the
// list, or behind a length that cannot be, is none. False: the list goes on behind `end`, as far as can be told.
bool note_options(const std::uint8_t* at, const std::uint8_t* end, Annex& annex) {
  constexpr std::uint8_t kEnd = 0, kNothing = 1, kMss = 2, kWindowScale = 3, kSackPermitted = 4, kTimestamps = 8;
  while (at < end && annex.option_count < Annex::kMostOptions) {
    const std::uint8_t kind = *at;
    const bool is_one_byte = kind == kEnd || kind == kNothing;
    if (!is_one_byte && (end - at < 2 || at[1] < 2 || at[1] > end - at)) return false;
    annex.options[annex.option_count++] = kind;
    if (kind == kEnd) return true;
    if (kind == kMss && at[1] == 4) annex.set_number(AnnexField::syn_mss, load_be16(at + 2));
    if (kind == kWindowScale && at[1] == 3) annex.set_number(AnnexField::syn_window_scale, at[2]);
    if (kind == kSackPermitted) annex.has |= Annex::kSack;
    if (kind == kTimestamps) annex.has |= Annex::kTimestamps;
    at += is_one_byte ? 1 : at[1];
  }
  return at < end;
}

void note_tcp(const IpPacket& packet, Annex& annex) {
  const std::uint8_t* const tcp = packet.payload;
  const std::uint32_t header = (tcp[12] >> 4) * 4u;
  if (header < kTcpHeader || header > packet.payload_length) return;
  annex.set_number(AnnexField::first_tcp_flags, tcp[13]);
  if ((tcp[13] & (kSyn | kRst)) != kSyn) return;
  annex.set_number(AnnexField::syn_window, load_be16(tcp + 14));
  const bool ends = note_options(tcp + kTcpHeader, tcp + std::min(header, packet.available), annex);
  if (annex.option_count > 0) annex.set(AnnexField::syn_options);
  // What was not captured may have been there.
  const bool are_all = ends || header <= packet.available;
  if (are_all || annex.has & Annex::kSack) annex.set(AnnexField::syn_sack_permitted);
  if (are_all || annex.has & Annex::kTimestamps) annex.set(AnnexField::syn_timestamps);
}

void note_packet(const IpPacket& packet, Annex& annex) {
  note_ip(packet, annex);
  const bool has_tcp = packet.protocol == kProtocolTcp && packet.fragment_offset == 0 && packet.available >= kTcpHeader;
  if (has_tcp) note_tcp(packet, annex);
}

}  // namespace

// Most frames of most captures: IP directly behind an Ethernet header, and so the only packet, but for a tunnel.
bool Decoder::note_plain(const Frame& frame, Annex& annex) const {
  if (frame.link != kLinkEthernet || frame.captured < kEthernetHeader) return false;
  const int version = link_layer_detail::version_of(load_be16(frame.data + kEthernetHeader - 2));
  IpPacket packet;
  Ignored why;
  if (!version || !read_ip(frame, version, kEthernetHeader, packet, why)) return false;
  if (options_.decapsulate && packet.protocol != kProtocolTcp) return false;
  annex.take_addresses(frame.data);
  note_packet(packet, annex);
  return true;
}

Annex Decoder::annex_of(const Frame& frame, const FlowKey& key, std::size_t before) const {
  Annex on_the_way;
  if (note_plain(frame, on_the_way)) return on_the_way;
  std::optional<Annex> found;
  const auto take = [&](const IpPacket& packet, std::uint16_t vlan) {
    if (found) return;
    FlowKey own;
    if (options_.key_vlan) store_be16(own.vlan, vlan);
    read_flow_key(packet, own);
    if (!(own == key)) return;
    if (before > 0) {
      --before;
      return;
    }
    found = on_the_way;
    note_packet(packet, *found);
  };
  const auto take_any = [&](const Frame& of, const IpPlace& place) {
    IpPacket packet;
    Ignored why;
    if (!place.version || !read_ip(of, place.version, place.offset, packet, why)) return;
    if (!options_.decapsulate) return take(packet, place.vlan);
    each_innermost(
        of, packet, place, tunnel_kinds_, [](TunnelKind, Unopened) {}, take, &on_the_way);
  };
  each_packet(frame, link_layer_detail::walk_to_ip(frame, &on_the_way), take_any, &on_the_way);
  return found.value_or(on_the_way);
}

}  // namespace warpmeter::inline packet
