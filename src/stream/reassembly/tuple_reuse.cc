#include "stream/reassembly/tuple_reuse.h"

#include "core/sequence_numbers.h"

namespace warpmeter::inline stream {
namespace {

// Does it acknowledge the peer's SYN, and perhaps data that was sent with it?
bool answers(const Stream& peer, const PayloadSegment& s) {
  if (!(s.flags & kAck)) return false;
  if (!peer.state.has_isn()) return true;
  const std::uint32_t beyond = s.acknowledged - on_wire(peer.isn) - 1;
  return beyond <= peer.highest - peer.isn - 1;
}

bool has_carried(const Stream& stream) { return stream.has_carried() || stream.state.has_fin(); }

void forget_start(Stream& stream) {
  stream.state.forget_start();
  stream.position = stream.next = 0;
}

}  // namespace

bool resets(const Stream& stream, std::uint32_t sequence) {
  if (!stream.state.has_isn()) return true;
  const std::int64_t number = unwrap(sequence, stream.highest);
  return stream.isn < number && number <= stream.highest;
}

bool is_tuple_reuse(Tcb& connection, StreamSide side, const PayloadSegment& s) {
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

}  // namespace warpmeter::inline stream
