// From a planned frame to the bytes in the capture: pcap record, Ethernet, VLAN tag, IPv4 or IPv6, TCP, UDP or ICMP
// echo, all with true checksums, padded to Ethernet's 60 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "connection.h"
#include "generator_options.h"
#include "payload.h"

namespace traffic_gen {

// What only sending decides; a mirror copy has all of its original's but the time and, if routed, the hops.
struct Stamp {
  uint64_t time = 0;   // ns since 1970
  uint32_t stamp = 0;  // TCP timestamp
  uint16_t id = 0;     // IPv4
  bool routed = false;
};

// Bytes of a packet from its IP header on.
uint32_t ip_length(const Connection& connection, const Planned& planned);
// Bytes of a TCP frame that are no payload.
uint32_t tcp_overhead(const Connection& connection);

class FrameWriter {
 public:
  explicit FrameWriter(const Options& options) : snaplen_(options.snaplen), microseconds_(options.microseconds) {}

  // Both return the bytes used at `out`.
  size_t file_header(uint8_t* out) const;
  size_t record(uint8_t* out, const Connection& connection, const Planned& planned, const Stamp& stamp) const;

 private:
  uint8_t* transport(uint8_t* out, const Connection& connection, const Planned& planned, const Stamp& stamp,
                     uint32_t length) const;

  uint32_t snaplen_;
  bool microseconds_;
  Payload payload_;
};

}  // namespace traffic_gen
