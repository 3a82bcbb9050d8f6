// IPv4 (RFC 791) and IPv6 (RFC 8200) headers. Lengths come from the header, never from the captured length; a length of
// 0 (TSO, BIG TCP, jumbograms) means the frame's original length, or, of IPv6, that nothing is behind the header.
#pragma once

#include <cstdint>
#include <optional>

#include "core/counters.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

struct IpPacket {
  const std::uint8_t* source;       // 4 or 16 bytes
  const std::uint8_t* destination;  // 4 or 16 bytes
  const std::uint8_t* payload;      // what follows the IP headers, IPv4's AH among them
  std::uint32_t length;             // of the whole packet, by its header
  std::uint32_t payload_length;     // by the header
  std::uint32_t available;          // how much of the payload was captured
  std::uint32_t on_wire;            // how much of it was in the frame
  std::uint16_t id;                 // IPv4 id; IPv6: 0
  std::uint16_t fragment_offset;    // in units of 8 bytes
  std::uint8_t version;
  std::uint8_t protocol;
};

// Reads the header at `offset`. Returns false and the reason if the packet cannot be metered.
bool read_ip(const Frame& frame, int version, std::uint32_t offset, IpPacket& packet, Ignored& why);

}  // namespace warpmeter::inline packet
