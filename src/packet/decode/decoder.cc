#include "packet/decode/append_frames.h"

namespace warpmeter::inline packet {

void Decoder::append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}
void Decoder::append(const FrameBlock& block, std::span<PackedBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}

namespace {

// Behind the IP header, as far as captured. A later fragment has none.
std::uint32_t transport_header(const IpPacket& p) {
  constexpr std::uint32_t kUdp = 8, kIcmp = 8, kSctp = 12, kDccp = 16, kMostIfUnknown = 13;
  if (p.fragment_offset != 0) return 0;
  switch (p.protocol) {
    case kProtocolTcp:
      return p.available < kMostIfUnknown ? kTcpHeader : std::max(kTcpHeader, (p.payload[12] >> 4) * 4u);
    case kProtocolUdp:
    case kProtocolUdpLite: return kUdp;
    case kProtocolIcmp:
    case kProtocolIcmpV6: return kIcmp;
    case kProtocolSctp: return kSctp;
    case kProtocolDccp: return kDccp;
    default: return 0;
  }
}

}  // namespace

std::uint32_t Decoder::bytes_of_headers(const Frame& frame) const {
  constexpr std::uint32_t kMostOfIp4 = 60;  // no shorter header says why it cannot be read
  std::uint32_t end = 0;
  const auto take = [&](const IpPacket& packet, std::uint16_t = 0) {
    const auto at = static_cast<std::uint32_t>(packet.payload - frame.data);
    end = std::max(end, at + std::min(packet.available, transport_header(packet)));
  };
  const IpPlace place = find_ip(frame);
  if (place.version == 0 && !place.several) return frame.captured;
  each_packet(frame, place, [&](const Frame& part, const IpPlace& in_part) {
    IpPacket packet;
    Ignored why = in_part.why;
    if (in_part.version == 0) return;
    if (!read_ip(part, in_part.version, in_part.offset, packet, why)) {
      const auto at = static_cast<std::uint32_t>(part.data - frame.data) + in_part.offset;
      end = std::max(end, std::min(at + kMostOfIp4, frame.captured));
    } else if (options_.decapsulate) {
      each_innermost(
          part, packet, in_part, tunnel_kinds_, [](TunnelKind, Unopened) {}, take);
    } else {
      take(packet);
    }
  });
  return end > 0 ? end : frame.captured;
}

bool Decoder::is_filtered_out(const Frame& frame) const {
  return options_.filter && frame.link != kUnknownLink && !options_.filter->matches(frame);
}

}  // namespace warpmeter::inline packet
