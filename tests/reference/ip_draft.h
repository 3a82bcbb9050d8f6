// An IP packet before it is bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "reference_key.h"
#include "reference_random.h"
#include "tcp_talker.h"

namespace reference {

struct IpDraft {
  bool ip6 = false;
  Address source{};
  Address destination{};
  uint8_t protocol = 0;
  uint16_t id = 0;               // IPv4 only
  uint16_t fragment_offset = 0;  // units of 8 bytes
  bool more_fragments = false;
  std::vector<uint8_t> options;     // IPv4, a multiple of 4
  std::vector<uint8_t> extensions;  // IPv6 extension header numbers, outermost first
  std::vector<uint8_t> payload;     // the bytes of it that are written
  uint32_t payload_length = 0;      // by the header; the rest was not captured
  bool length_zero = false;         // as segmentation offload leaves it
};

struct IpPacket {
  std::vector<uint8_t> bytes;  // what there is to capture
  uint32_t length = 0;         // on the wire
};

IpPacket to_bytes(const IpDraft& draft, Random& random);

// A TCP header, its options, and some bytes of its payload.
std::vector<uint8_t> tcp_bytes(const SegmentDraft& segment, uint16_t source_port, uint16_t destination_port,
                               Random& random);

}  // namespace reference
