// From a frame to a TCP segment, by the layers that the flow oracle walks as well.
#include "oracle_segment.h"

#include <algorithm>

#include "innermost.h"
#include "ip_header.h"

namespace reference {
namespace {

constexpr uint8_t tcp = 6;
constexpr int64_t shortest_header = 20;

std::optional<OracleSegment> read(const Bytes& b, const IpHeader& ip) {
  if (ip.protocol != tcp || ip.fragment_offset != 0 || ip.payload_captured < shortest_header) return {};
  const int64_t at = ip.payload_at;
  const int64_t header = (b.u8(at + 12) >> 4) * 4;
  if (header < shortest_header || header > ip.payload_length) return {};
  OracleSegment segment;
  segment.version = ip.version;
  segment.source = {ip.source, b.u16(at)};
  segment.destination = {ip.destination, b.u16(at + 2)};
  segment.sequence = b.u32(at + 4);
  segment.acknowledgement = b.u32(at + 8);
  segment.flags = b.u8(at + 13);
  segment.payload = ip.payload_length - header;
  const int64_t captured = std::max<int64_t>(0, ip.payload_captured - header);
  if (captured > 0) segment.data = b.slice(at + header, captured);
  return segment;
}

}  // namespace

std::vector<OracleSegment> segments_of(const Frame& frame, bool decapsulate, int64_t number) {
  std::vector<OracleSegment> segments;
  int64_t in_frame = -1;
  for (const FoundPacket& found : packets_of(frame, decapsulate, usual_ports())) {
    if (found.ignored) continue;
    ++in_frame;
    auto segment = read(found.frame.bytes, found.ip);
    if (!segment) continue;
    segment->number = number;
    segment->in_frame = in_frame;
    segment->time = frame.time;
    segments.push_back(*segment);
  }
  return segments;
}

}  // namespace reference
