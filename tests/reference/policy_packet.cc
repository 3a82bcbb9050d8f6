// The same frame, walked for flows, for streams and for its payload.
#include "policy_packet.h"

#include <algorithm>

#include "innermost.h"

namespace reference {
namespace {

constexpr uint8_t udp = 17;

// Of what is no TCP segment: behind the header of UDP, where there is one, else behind that of IP.
void set_payload(const FoundPacket& found, PolicyPacket& to) {
  const IpHeader& ip = found.ip;
  const int64_t header = ip.protocol == udp && ip.fragment_offset == 0 ? 8 : 0;
  to.payload_length = std::max<int64_t>(0, ip.payload_length - header);
  const int64_t captured = ip.payload_captured - header;
  if (captured > 0) to.payload = found.frame.bytes.slice(ip.payload_at + header, captured);
}

}  // namespace

std::vector<PolicyPacket> policy_packets_of(const Frame& frame, const Options& options, int64_t number) {
  const std::vector<Decoded> decoded = decode(frame, options);
  const std::vector<FoundPacket> found = packets_of(frame, options.decapsulate, options.ports);
  const std::vector<OracleSegment> segments = segments_of(frame, options.decapsulate, number);
  std::vector<PolicyPacket> packets;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].ignored || decoded.at(i).ignored) continue;
    const auto in_frame = static_cast<int64_t>(packets.size());
    PolicyPacket& made = packets.emplace_back();
    made.packet = decoded[i].packet;
    made.vlan = found[i].frame.vlan.value_or(0);
    const auto segment = std::find_if(segments.begin(), segments.end(),
                                      [&](const OracleSegment& each) { return each.in_frame == in_frame; });
    if (segment == segments.end()) {
      set_payload(found[i], made);
      continue;
    }
    made.segment = *segment;
    made.payload = segment->data;
    made.payload_length = segment->payload;
  }
  return packets;
}

}  // namespace reference
