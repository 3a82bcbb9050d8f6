// A frame of any link type, down to the transport header, of the innermost packet too. Input: the link type (16 bits,
// little endian; one that is not known stands for one that is), by how many bytes the frame was longer on the wire, the
// frame.
#include <algorithm>
#include <vector>

#include "core/byte_order.h"
#include "fuzz/must.h"
#include "packet/decode/decoder.h"
#include "packet/decode/ip.h"
#include "packet/decode/link_layer.h"
#include "packet/decode/plain_tcp.h"
#include "packet/decode/transport.h"
#include "packet/decode/tunnel.h"
#include "packet/decode/unread_words.h"
#include "support/same_segment.h"
#include "warpmeter/link_type.h"

namespace warpmeter::fuzz {
namespace {

std::vector<std::uint16_t> known_links() {
  std::vector<std::uint16_t> links;
  for (std::uint32_t link = 0; link < kUnknownLink; ++link) {
    if (is_known_link(link)) links.push_back(static_cast<std::uint16_t>(link));
  }
  return links;
}

std::uint16_t link_of(std::uint16_t number) {
  static const std::vector<std::uint16_t> links = known_links();
  return is_known_link(number) ? number : links[number % links.size()];
}

void check(const Frame& frame, const IpPacket& packet) {
  must(lies_in(packet.source, packet.version == 4 ? 4 : 16, frame.data, frame.captured));
  must(lies_in(packet.destination, packet.version == 4 ? 4 : 16, frame.data, frame.captured));
  must(lies_in(packet.payload, packet.available, frame.data, frame.captured));
  must(packet.available <= packet.payload_length && packet.payload_length < packet.length);
  FlowKey key;
  Segment segment;
  DecodeCounters counters;
  read_transport(packet, key, segment, counters, 1);
  must(segment.length == packet.length && segment.payload_length <= packet.payload_length);
}

// The short way through the decoder must give what the long one gives.
template <int kVersion>
void check_plain(const Frame& frame, std::uint32_t offset) {
  PlainTcp<kVersion> plain;
  if (!read_plain_tcp(frame.data + offset, frame.captured - offset, plain)) return;
  IpPacket packet;
  Ignored why{};
  must(read_ip(frame, kVersion, offset, packet, why));
  FlowKey key, plain_key;
  Segment segment, plain_segment;
  DecodeCounters counters;
  read_transport(packet, key, segment, counters, 1);
  set_key(plain, 0, plain_key);
  set_segment(plain, packet.available, 1, plain_segment);
  must(key == plain_key && test::same_segment(segment, plain_segment));
  must(hash_flow(key, 1).hash == hash_flow(hashed_key(plain, 0), 1).hash);
}

void decode(const Frame& frame, const IpPlace& place, std::uint64_t& packets) {
  must(!place.several && place.vlan < 4096);
  if (!place.version) return;
  must(place.version == 4 || place.version == 6);
  if (place.offset < frame.captured && place.version == 4) check_plain<4>(frame, place.offset);
  if (place.offset < frame.captured && place.version == 6) check_plain<6>(frame, place.offset);
  IpPacket packet;
  Ignored why{};
  if (!read_ip(frame, place.version, place.offset, packet, why)) return;
  check(frame, packet);
  static const TunnelKinds kinds{TunnelPorts()};
  const auto closed = [](TunnelKind kind, Unopened why) {
    must(kind != TunnelKind::none && !name_of_unopened(unopened_number(kind, why)).empty());
  };
  each_innermost(frame, packet, place, kinds, closed, [&](const IpPacket& inner, std::uint16_t vlan) {
    ++packets;
    must(vlan < 4096);
    if (inner.source == packet.source) return;
    must(inner.source > packet.source);
    check(frame, inner);
  });
}

void decode(const Frame& frame) {
  std::uint64_t packets = 0;
  each_packet(frame, find_ip(frame), [&](const Frame& of, const IpPlace& place) { decode(of, place, packets); });
  must(packets * 20 <= frame.captured);
}

// Of each packet its own is found again.
void check_annexes(const Frame& frame) {
  static const Decoder decoders[] = {Decoder({}, 1), Decoder({.decapsulate = true}, 1)};
  for (const Decoder& decoder : decoders) {
    FrameBlock block;
    block.frames.push_back(frame);
    SegmentBatch batch(1);
    DecodeCounters counters;
    decoder.decode(block, batch, counters);
    for (std::uint32_t at = 0; at < batch.count; ++at) {
      const auto keys = batch.key.data();
      const auto before = static_cast<std::size_t>(std::count(keys, keys + at, keys[at]));
      const Annex annex = decoder.annex_of(frame, keys[at], before);
      must(annex.has_value(AnnexField::ttl) && annex.option_count <= Annex::kMostOptions);
      must(&decoder != &decoders[0] || !annex.has_value(AnnexField::tunnel));
    }
  }
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  constexpr std::size_t kHead = 3;
  if (size < kHead) return 0;
  const auto captured = static_cast<std::uint32_t>(size - kHead);
  const Frame frame{data + kHead, 0, captured, captured + data[2] * 257u, fuzz::link_of(load<std::uint16_t>(data))};
  fuzz::decode(frame);
  fuzz::check_annexes(frame);
  return 0;
}
