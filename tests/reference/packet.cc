// Transport headers, Flow Keys and identities.
#include "packet.h"

#include <algorithm>

#include "innermost.h"
#include "ip_header.h"
#include "sample.h"

namespace reference {
namespace {

constexpr uint8_t icmp = 1, tcp = 6, udp = 17, dccp = 33, icmp6 = 58, sctp = 132, udp_lite = 136;

bool has_ports(uint8_t protocol) {
  return protocol == tcp || protocol == udp || protocol == dccp || protocol == sctp || protocol == udp_lite;
}

void read_tcp(const Bytes& b, const IpHeader& ip, Packet& packet) {
  if (ip.payload_captured < 20) {
    packet.transport = Transport::too_short;
    return;
  }
  const int64_t at = ip.payload_at;
  const int64_t header = (b.u8(at + 12) >> 4) * 4;
  if (header < 20 || header > ip.payload_length) {
    packet.transport = Transport::malformed;
    return;
  }
  TcpSegment segment;
  segment.sequence = b.u32(at + 4);
  segment.acknowledgement = b.u32(at + 8);
  segment.flags = b.u8(at + 13);
  segment.window = b.u16(at + 14);
  segment.payload = ip.payload_length - header;
  packet.tcp = segment;
}

void read_transport(const Bytes& b, const IpHeader& ip, Packet& packet) {
  if (ip.fragment_offset != 0) return;
  if (ip.protocol == icmp || ip.protocol == icmp6) {
    if (ip.payload_captured < 2) packet.transport = Transport::too_short;
    else packet.key.destination_port = b.u16(ip.payload_at);
    return;
  }
  if (!has_ports(ip.protocol)) return;
  if (ip.payload_captured >= 4) {
    packet.key.source_port = b.u16(ip.payload_at);
    packet.key.destination_port = b.u16(ip.payload_at + 2);
  }
  if (ip.protocol == tcp) read_tcp(b, ip, packet);
  else if (ip.payload_captured < 4) packet.transport = Transport::too_short;
}

void append(std::vector<uint8_t>& out, uint64_t value, int count) {
  while (count-- > 0) out.push_back(static_cast<uint8_t>(value >> (8 * count)));
}

bool is_anonymous(const IpHeader& ip) { return ip.version == 6 || ip.id == 0; }

// How many bytes behind the IP header are compared, if so many were captured.
int64_t compared_bytes(const Bytes& b, const IpHeader& ip, const Packet& packet) {
  if (packet.tcp) return is_anonymous(ip) ? (b.u8(ip.payload_at + 12) >> 4) * 4 : 20;
  const bool has_udp_header = ip.protocol == udp && ip.fragment_offset == 0 && ip.payload_captured >= 8;
  return has_udp_header && b.u16(ip.payload_at + 6) == 0 ? 128 : 64;
}

// Everything before the compared bytes has a fixed size, so that no two identities run into each other.
std::vector<uint8_t> identity_of(const Bytes& b, const IpHeader& ip, const Packet& packet) {
  const int64_t compared = std::min(compared_bytes(b, ip, packet), ip.payload_captured);
  if (compared == 0) return {};
  const FlowKey& key = packet.key;
  std::vector<uint8_t> identity;
  append(identity, key.version, 1);
  identity.insert(identity.end(), key.source.begin(), key.source.end());
  identity.insert(identity.end(), key.destination.begin(), key.destination.end());
  append(identity, key.source_port, 2);
  append(identity, key.destination_port, 2);
  append(identity, key.protocol, 1);
  append(identity, key.vlan, 2);
  append(identity, ip.id, 2);
  append(identity, ip.fragment_offset, 2);
  append(identity, static_cast<uint64_t>(ip.length), 8);
  const auto bytes = b.slice(ip.payload_at, compared);
  identity.insert(identity.end(), bytes.begin(), bytes.end());
  return identity;
}

}  // namespace

namespace {

Packet packet_from(const FoundPacket& found, const Options& options) {
  const IpHeader& ip = found.ip;
  const Bytes& bytes = found.frame.bytes;
  Packet packet;
  packet.key.version = static_cast<uint8_t>(ip.version);
  packet.key.source = ip.source;
  packet.key.destination = ip.destination;
  packet.key.protocol = ip.protocol;
  if (options.key_vlan) packet.key.vlan = found.frame.vlan.value_or(0);
  packet.length = ip.length;
  read_transport(bytes, ip, packet);
  packet.identity = identity_of(bytes, ip, packet);
  packet.anonymous = is_anonymous(ip);
  return packet;
}

}  // namespace

std::vector<Decoded> decode(const Frame& frame, const Options& options) {
  std::vector<Decoded> all;
  for (const FoundPacket& found : packets_of(frame, options.decapsulate, options.ports)) {
    if (found.ignored) {
      all.push_back({{}, found.ignored});
      continue;
    }
    all.push_back({packet_from(found, options), {}});
    if (!is_sampled(all.back().packet.key, options.sample_one_in)) all.back().ignored = Ignored::not_sampled;
  }
  return all;
}

}  // namespace reference
