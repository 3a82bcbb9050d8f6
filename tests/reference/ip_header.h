// The IP header of a packet: IPv4 with options, IPv6 with extension headers, fragments of both. All lengths come from
// the header; the captured length only says how much of the packet can be looked at.
#pragma once

#include <cstdint>

#include "capture.h"
#include "descent.h"
#include "reference_key.h"

namespace reference {

struct IpHeader {
  int version = 0;
  Address source{};
  Address destination{};
  uint8_t protocol = 0;          // of what follows the last IPv6 extension header, or IPv4's AH
  uint16_t id = 0;               // IPv6: 0
  uint16_t fragment_offset = 0;  // in units of 8 bytes
  int64_t length = 0;            // of the whole packet
  int64_t payload_at = 0;        // offset in the frame
  int64_t payload_length = 0;    // by the header
  int64_t payload_captured = 0;  // without padding behind the packet's end
};

// Throws IgnoredFrame where the header is damaged or cut short.
IpHeader read_ip(WalkedFrame& frame, const IpPlace& place);

}  // namespace reference
