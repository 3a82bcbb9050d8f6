// A segment: the decoded transport header of one packet, with what the Metering Process needs and nothing of the frame.
// 40 bytes, trivially copyable; one column of a SegmentBatch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpmeter/hd.h"

namespace warpmeter {

inline constexpr std::uint8_t kFin = 1;
inline constexpr std::uint8_t kSyn = 2;
inline constexpr std::uint8_t kRst = 4;
inline constexpr std::uint8_t kAck = 16;

enum SegmentKind : std::uint8_t {
  kTcpSegment = 1,   // has a whole, well-formed TCP header: sequence, flags, window, payload_length are valid
  kHasIdentity = 2,  // at least one byte behind the IP header was captured
  kAnonymous = 4,    // IPv6, or IPv4 id 0: the identity holds no packet id
};

struct Segment {
  std::int64_t time_ns = 0;  // since 1970 UTC; within +-2^62, so that differences never overflow
  // What two copies of one packet share beside Flow Key, IP length and the other fields (docs/definitions.md). With a
  // TCP header: the rest of its first 20 bytes and the IPv4 id, packed without loss; from bit 32 of identity_a on the
  // acknowledgement number. If there is no id (kAnonymous) but options, a 56-bit fingerprint of these lies over
  // checksum and urgent pointer (the rest of identity_a) and over identity_b from bit 8 on, where the id would be.
  // Without a TCP header these, and `sequence`, hold a 128-bit fingerprint of IPv4 id, fragment offset and the first 64
  // bytes behind the IP header (128 of UDP without checksum).
  std::uint64_t identity_a = 0;
  std::uint32_t identity_b = 0;
  std::uint32_t sequence = 0;  // host byte order, as everything here
  std::uint32_t frame = 0;     // place in the batch: the packet's number is the batch's first_number + frame
  std::uint32_t length = 0;    // of the whole IP packet, bytes, by its header
  std::uint32_t payload_length = 0;
  std::uint16_t window = 0;
  std::uint8_t flags = 0;
  std::uint8_t kind = 0;  // SegmentKind bits
};
static_assert(sizeof(Segment) == 40 && std::is_trivially_copyable_v<Segment>);

WARPMETER_HD inline bool is_tcp(const Segment& s) { return s.kind & kTcpSegment; }

// A SYN that may open an incarnation: RST segments touch no sequence state.
WARPMETER_HD inline bool is_opening(const Segment& s) { return is_tcp(s) && (s.flags & (kSyn | kRst)) == kSyn; }

// RFC 9293 section 3.1. REQUIRES: is_tcp().
WARPMETER_HD inline std::uint32_t acknowledgement(const Segment& s) {
  return static_cast<std::uint32_t>(s.identity_a >> 32);
}

// Payload, no RST.
WARPMETER_HD inline bool is_data(const Segment& s) { return is_tcp(s) && !(s.flags & kRst) && s.payload_length > 0; }

}  // namespace warpmeter
