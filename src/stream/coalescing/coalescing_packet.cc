#include "stream/coalescing/coalescing_packet.h"

#include "core/byte_order.h"
#include "core/segment.h"
#include "packet/decode/ip.h"
#include "packet/decode/link_layer.h"
#include "packet/file/interface_list.h"
#include "stream/coalescing/internet_checksum.h"

namespace warpmeter::inline stream {
namespace {

constexpr std::uint32_t kPlainIp4 = 20, kLeastTcpHeader = 20, kWithTimeStamps = 32, kMostIp = 65'535;
constexpr std::uint8_t kUrg = 32, kCwr = 128;  // TCP flags (RFC 9293, RFC 3168)

void set_key(const IpPacket& p, const HashSeed& seed, CoalescingPacket& packet) {
  const std::uint64_t rest =
      load<std::uint32_t>(p.payload) | std::uint64_t{kProtocolTcp} << 32 | std::uint64_t{p.version} << 56;
  packet.key = p.version == 4
                   ? HashedKey{load<std::uint32_t>(p.source), 0, load<std::uint32_t>(p.destination), 0, rest}
                   : HashedKey{load<std::uint64_t>(p.source), load<std::uint64_t>(p.source + 8),
                               load<std::uint64_t>(p.destination), load<std::uint64_t>(p.destination + 8), rest};
  packet.hash = hash_flow(packet.key, seed);
  packet.has_key = true;
}

// RFC 9293 section 3.1, RFC 8200 section 8.1: both addresses, which lie behind each other, the length and the protocol.
std::uint64_t pseudo_header_sum(const IpPacket& p) {
  const auto length = static_cast<std::uint16_t>(p.payload_length);
  const std::uint64_t addresses = p.version == 4 ? memory_sum<2>(p.source) : memory_sum<8>(p.source);
  return addresses + byte_swap(length) + byte_swap(std::uint16_t{kProtocolTcp});
}

std::uint64_t tcp_header_sum(const std::uint8_t* tcp, std::uint32_t header) {
  if (header == kLeastTcpHeader) return memory_sum<kLeastTcpHeader / 4>(tcp);
  return header == kWithTimeStamps ? memory_sum<kWithTimeStamps / 4>(tcp) : memory_sum(tcp, header);
}

bool has_only_time_stamps(const std::uint8_t* options) { return load_be32(options) == 0x0101080a; }

// Of a segment that is all there.
PassReason reason_of(const std::uint8_t* tcp, std::uint32_t header, std::uint32_t payload) {
  const std::uint8_t flags = tcp[13];
  if (payload == 0) return PassReason::no_payload;
  if (flags & (kSyn | kFin | kRst | kUrg | kCwr) || !(flags & kAck)) return PassReason::flags;
  const bool plain =
      header == kLeastTcpHeader || (header == kWithTimeStamps && has_only_time_stamps(tcp + kLeastTcpHeader));
  return plain ? PassReason::none : PassReason::tcp_options;
}

PassReason filter(const IpPacket& p, const std::uint8_t* ip, bool verify, CoalescingPacket& packet) {
  const std::uint32_t ip_header = packet.ip_header();
  if (p.payload != ip + ip_header) return PassReason::ip_options;
  if (p.version == 4 && load_be16(ip + 6) & 0x3fff) return PassReason::fragment;
  if (p.available < p.payload_length || p.length > kMostIp) return PassReason::cut_short;
  if (p.payload_length < kLeastTcpHeader) return PassReason::malformed;
  const std::uint8_t* const tcp = p.payload;
  const std::uint32_t header = (tcp[12] >> 4) * 4u;
  if (header < kLeastTcpHeader || header > p.payload_length) return PassReason::malformed;
  if (load_be16(p.version == 4 ? ip + 2 : ip + 4) == 0) return PassReason::no_length;
  const std::uint32_t payload = p.payload_length - header;
  const std::uint64_t sum = memory_sum(tcp + header, payload);
  packet.payload_sum = byte_swap(fold_sum(sum));
  if (verify) {
    if (p.version == 4 && !is_right_sum(memory_sum<kPlainIp4 / 4>(ip))) return PassReason::bad_checksum;
    if (!is_right_sum(pseudo_header_sum(p) + tcp_header_sum(tcp, header) + sum)) return PassReason::bad_checksum;
  }
  packet.tcp_header = static_cast<std::uint8_t>(header);
  packet.payload = payload;
  packet.sequence = load_be32(tcp + 4);
  packet.options = packet.frame.options == 0 ? 0 : static_cast<std::uint32_t>(options_bytes(packet.frame));
  return reason_of(tcp, header, payload);
}

}  // namespace

void look_at(const Frame& frame, bool verify, const HashSeed& seed, CoalescingPacket& packet) {
  packet.frame = frame;
  packet.has_key = false;
  packet.reason = PassReason::not_ip;
  const IpPlace place = find_ip(frame);
  IpPacket p;
  Ignored why;
  if (!place.version || !read_ip(frame, place.version, place.offset, p, why)) return;
  packet.reason = PassReason::no_tcp;
  if (p.protocol != kProtocolTcp) return;
  if (p.fragment_offset == 0 && p.available >= 4) set_key(p, seed, packet);
  packet.version = p.version;
  packet.at = place.offset;
  packet.size = place.offset + p.length;
  packet.reason = filter(p, frame.data + place.offset, verify, packet);
}

}  // namespace warpmeter::inline stream
