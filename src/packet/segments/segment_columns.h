// The columns of a block of segments, before they are cut into planes (docs/segment-files.md says what each holds).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/segment.h"
#include "core/unwritten_vector.h"
#include "packet/segments/byte_planes.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

template <class T>
using SegmentColumn = UnwrittenVector<T>;

// Of segments with a whole TCP header, beside what the flow foretells.
struct TcpColumns {
  SegmentColumn<std::uint32_t> sequence, acknowledgement, length;  // differences as zigzag
  SegmentColumn<std::uint16_t> window, id;                         // so, too
  SegmentColumn<std::uint32_t> ip_headers;        // length of the packet less TCP header and payload; exclusive or
  SegmentColumn<std::uint8_t> flags, offset;      // exclusive or
  SegmentColumn<std::uint16_t> checksum, urgent;  // as they are
  SegmentColumn<std::uint8_t> options;            // so, too
};

// Of all others, as they are.
struct OtherColumns {
  SegmentColumn<std::uint64_t> identity_a;
  SegmentColumn<std::uint32_t> identity_b, sequence, length, payload_length;
  SegmentColumn<std::uint16_t> window;
  SegmentColumn<std::uint8_t> flags;
};

// Behind another packet of its frame.
inline constexpr std::uint32_t kSameFrame = 0xffffffff;
// The same, whatever part of the set that other packet is in.
inline constexpr std::uint8_t kBehindInFrame = 8;

// A flow has a number: of conversation n it is 2 n, from where the first packet in the block came, or 2 n + 1, back.
struct SegmentColumns {
  // Of every conversation: the key of its first packet, word by word.
  SegmentColumn<std::uint64_t> key[kFlowKeyWords];

  // Of every segment.
  SegmentColumn<std::uint32_t> frame;  // of the row, less 1 and less that of the one before; kSameFrame: that one
  SegmentColumn<std::uint64_t> time;   // difference to the one before, in units, as zigzag
  SegmentColumn<std::uint32_t> flow;
  SegmentColumn<std::uint8_t> kind;  // exclusive or with that of the one before in the flow; kBehindInFrame

  TcpColumns first;  // of the first segments of their flows: nothing is foretold yet
  TcpColumns next;
  OtherColumns other;
};

struct SegmentCounts {
  std::size_t segments = 0, first = 0, next = 0, conversations = 0;

  std::size_t others() const { return segments - first - next; }
};

template <class Tcp, class Each>
void each_tcp_column(Tcp& c, std::size_t count, Planes dense, const Each& each) {
  each(c.sequence, count, Planes::joined);
  each(c.acknowledgement, count, dense);
  each(c.length, count, dense);
  each(c.ip_headers, count, Planes::joined);
  each(c.window, count, Planes::joined);
  each(c.id, count, dense);
  each(c.flags, count, Planes::joined);
  each(c.offset, count, Planes::joined);
  each(c.checksum, count, Planes::apart);
  each(c.urgent, count, dense);
  each(c.options, count, dense);
}

template <class Other, class Each>
void each_other_column(Other& c, std::size_t count, const Each& each) {
  each(c.identity_a, count, Planes::apart);
  each(c.identity_b, count, Planes::apart);
  each(c.sequence, count, Planes::apart);
  each(c.length, count, Planes::joined);
  each(c.payload_length, count, Planes::joined);
  each(c.window, count, Planes::joined);
  each(c.flags, count, Planes::joined);
}

// Calls `each(column, count, planes)`, the count being that of its values, in the order in which they are written.
template <class Columns, class Each>
void each_column(Columns& c, const SegmentCounts& counts, const Each& each) {
  for (auto& word : c.key) each(word, counts.conversations, Planes::joined);
  each(c.frame, counts.segments, Planes::apart);
  each(c.time, counts.segments, Planes::apart);
  each(c.flow, counts.segments, Planes::apart);
  each(c.kind, counts.segments, Planes::joined);
  each_tcp_column(c.first, counts.first, Planes::joined, each);
  each_tcp_column(c.next, counts.next, Planes::apart, each);
  each_other_column(c.other, counts.others(), each);
}

// What is foretold of the next segment of a flow, where blocks are written and where they are read.
struct ForetoldSegment {
  std::uint32_t sequence = 0, acknowledgement = 0, length = 0, ip_headers = 0;
  std::uint16_t window = 0, id = 0;
  std::uint8_t flags = 0, offset = 0;
  std::uint8_t kind = kTcpSegment | kHasIdentity;
  bool known = false;  // of TCP: the flow had one
};

// TCP's identity (Segment::identity_a, identity_b), taken apart. Where options belong to it, their fingerprint lies
// over all but acknowledgement and offset.
struct TcpIdentity {
  std::uint32_t acknowledgement;
  std::uint16_t checksum, urgent, id;
  std::uint8_t offset;   // and reserved bits
  std::uint8_t options;  // of the fingerprint alone

  TcpIdentity() = default;
  TcpIdentity(std::uint64_t a, std::uint32_t b)
      : acknowledgement(static_cast<std::uint32_t>(a >> 32)),
        checksum(static_cast<std::uint16_t>(a >> 16)),
        urgent(static_cast<std::uint16_t>(a)),
        id(static_cast<std::uint16_t>(b >> 8)),
        offset(static_cast<std::uint8_t>(b)),
        options(static_cast<std::uint8_t>(b >> 24)) {}

  std::uint64_t a() const { return std::uint64_t{acknowledgement} << 32 | std::uint64_t{checksum} << 16 | urgent; }
  std::uint32_t b() const { return std::uint32_t{options} << 24 | std::uint32_t{id} << 8 | offset; }
};

// How many sequence numbers a segment takes (RFC 9293 section 3.4).
inline std::uint32_t numbers_of(const Segment& s) {
  return s.payload_length + ((s.flags & kSyn) != 0) + ((s.flags & kFin) != 0);
}

// By its data offset (RFC 9293 section 3.1), bytes.
inline std::uint32_t tcp_header_of(const TcpIdentity& identity) { return (identity.offset >> 4) * 4u; }

inline ForetoldSegment after(const Segment& s, const TcpIdentity& identity) {
  return {s.sequence + numbers_of(s),
          identity.acknowledgement,
          s.length,
          s.length - s.payload_length - tcp_header_of(identity),
          s.window,
          identity.id,
          s.flags,
          identity.offset,
          s.kind,
          true};
}

// Numbers near 0, of either sign, as small ones.
template <class T>
T zigzag(T difference) {
  static_assert(std::is_unsigned_v<T>);
  const bool negative = difference >> (8 * sizeof(T) - 1);
  const auto twice = static_cast<T>(difference << 1);
  return negative ? static_cast<T>(~twice) : twice;
}
template <class T>
T from_zigzag(T n) {
  static_assert(std::is_unsigned_v<T>);
  const auto half = static_cast<T>(n >> 1);
  return n & 1 ? static_cast<T>(~half) : half;
}

}  // namespace warpmeter::inline packet
