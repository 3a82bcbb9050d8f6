// Does a SYN belong to another incarnation of a connection's 5-tuple than the one that is known?
#pragma once

#include <cstdint>

#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

namespace tuple_reuse_detail {

// Does it acknowledge the peer's SYN, and perhaps data that was sent with it?
inline bool answers(const Stream& peer, const PayloadSegment& s) {
  if (!(s.flags & kAck)) return false;
  if (!peer.state.has_isn()) return true;
  const std::uint32_t beyond = s.acknowledged - on_wire(peer.isn) - 1;
  return beyond <= peer.highest - peer.isn - 1;
}

inline bool has_carried(const Stream& stream) { return stream.has_carried() || stream.state.has_fin(); }

inline void forget_start(Stream& stream) {
  stream.state.forget_start();
  stream.position = stream.next = 0;
}

}  // namespace tuple_reuse_detail

// `s`: a SYN without RST, of this side. One of several SYN+ACKs that answer the same SYN makes its direction ambiguous,
// which forgets where it began. Source: docs/streams.md.
inline bool is_tuple_reuse(Tcb& connection, StreamSide side, const PayloadSegment& s) {
  using namespace tuple_reuse_detail;
  Stream& mine = stream_of(connection, side);
  const Stream& peer = connection.streams[1 - static_cast<int>(side)];
  const bool answer = answers(peer, s);
  if (mine.state.is_ambiguous()) return !answer;
  if (mine.state.has_isn()) {
    if (is_at(s.sequence, mine.isn)) return connection.is_reset || (mine.state.has_fin() && peer.state.has_fin());
    if (!answer || !peer.state.has_isn() || has_carried(mine)) return true;
    forget_start(mine);
    return false;
  }
  if (mine.state.has_segments()) return !is_at(s.sequence + 1, mine.lowest);
  return s.flags & kAck ? !answer : has_carried(peer);
}

// An RST with this number, of this direction: does the incarnation end by it? A number from before its first byte, or
// beyond its last, may answer an old, half-open connection.
inline bool resets(const Stream& stream, std::uint32_t sequence) {
  if (!stream.state.has_isn()) return true;
  const std::int64_t number = unwrap(sequence, stream.highest);
  return stream.isn < number && number <= stream.highest;
}

}  // namespace warpmeter::inline stream
