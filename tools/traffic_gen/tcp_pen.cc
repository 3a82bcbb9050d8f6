#include "tcp_pen.h"

#include <algorithm>
#include <cassert>

namespace traffic_gen {
namespace {

constexpr uint16_t kShortest = 8;  // of claimed segments, so that each can be cut into pieces

// Directions without IP ids announce a different window with every packet, so that of 1024 packets no two are equal
// unless planned so; the others keep theirs for a while, as hosts do.
uint16_t window_for(Direction& d, Random& random) {
  constexpr uint16_t kTurns = 4093;
  if (d.anonymous) {
    d.window_turn = static_cast<uint16_t>((d.window_turn + 1) % kTurns);
    return static_cast<uint16_t>(0x4000 + d.window_turn);
  }
  if (random.below(64) == 0) d.window = static_cast<uint16_t>(random.between(512, 65'000));
  return d.window;
}

}  // namespace

Span TcpPen::claim(Side side) {
  uint64_t length = c_.typical;
  if (random_.below(10) < 3) length = random_.between(length / 2, length + length / 2);
  return claim(side, static_cast<uint16_t>(std::clamp<uint64_t>(length, kShortest, c_.largest)));
}

Span TcpPen::claim(Side side, uint16_t length) {
  Direction& d = direction(side);
  const Span span{d.next, length};
  d.next += length;
  return span;
}

uint16_t TcpPen::half() { return static_cast<uint16_t>(random_.between(kShortest / 2, c_.largest / 2)); }

Planned& TcpPen::push(Side side, uint64_t offset, uint16_t length, uint8_t flags) {
  const Direction& peer = direction(other(side));
  assert(c_.plan_end < Connection::kLongestPlan);
  Planned& p = c_.plan[c_.plan_end++];
  p = Planned{};
  p.delay = pace_.gap(random_);
  p.offset = offset;
  p.ack = peer.isn + static_cast<uint32_t>(peer.ackable);
  p.length = length;
  p.window = window_for(direction(side), random_);
  p.flags = flags;
  p.side = side;
  return p;
}

void TcpPen::met(Side side, uint64_t end, bool carried) {
  Direction& d = direction(side);
  if (end > d.top) d.tail_seen = carried;
  d.top = std::max(d.top, end);
  if (!held_[side]) d.ackable = d.next;
}

Planned& TcpPen::first(Side side, Span span, Kind kind) {
  Planned& p = push(side, span.offset, span.length, kPsh | kAck);
  p.fresh = span.length;
  p.kind = kind;
  met(side, span.end(), true);
  return p;
}

Planned& TcpPen::late(Side side, Span span, Kind kind) {
  Planned& p = push(side, span.offset, span.length, kPsh | kAck);
  p.fresh = span.length;
  p.out_of_order = true;
  p.kind = kind;
  return p;
}

Planned& TcpPen::again(Side side, Span span, uint16_t seen, Kind kind) {
  Planned& p = push(side, span.offset, span.length, kPsh | kAck);
  p.fresh = static_cast<uint16_t>(span.length - seen);
  p.again = seen;
  p.kind = kind;
  distinct(p);
  met(side, span.end(), true);
  return p;
}

Planned& TcpPen::twin(const Planned& original, Kind kind) {
  Planned& p = push(original.side, 0, 0, 0);
  const uint64_t delay = p.delay;
  p = original;
  p.delay = delay;
  p.fresh = 0;
  p.again = original.length;
  p.kind = kind;
  distinct(p);
  return p;
}

Planned& TcpPen::ack(Side side) {
  const uint64_t next = direction(side).next;
  Planned& p = push(side, next, 0, kAck);
  met(side, next, false);
  return p;
}

Planned& TcpPen::zero_window(Side side) {
  Planned& p = ack(side);
  p.window = 0;
  p.kind = Kind::kZeroWindow;
  distinct(p);
  return p;
}

Planned& TcpPen::keep_alive(Side side, uint16_t length) {
  Direction& d = direction(side);
  Planned& p = push(side, d.next - 1, length, kAck);
  p.keep_alive = true;
  p.kind = length ? Kind::kKeepAliveByte : Kind::kKeepAliveEmpty;
  if (length && !d.tail_seen) {
    p.fresh = 1;
    d.tail_seen = true;
  }
  return p;
}

Planned& TcpPen::syn(Side side, uint16_t length) {
  const bool answer = direction(other(side)).next > 0;
  const Span span = claim(side, static_cast<uint16_t>(length + 1));
  Planned& p = push(side, span.offset, length, answer ? kSyn | kAck : kSyn);
  p.fresh = span.length;
  met(side, span.end(), true);
  return p;
}

Planned& TcpPen::late_syn(Side side, Span span) {
  Planned& p = push(side, span.offset, 0, kSyn);
  p.fresh = span.length;
  p.kind = Kind::kSynLate;
  return p;
}

Planned& TcpPen::fin(Side side, uint16_t length) {
  const Span span = claim(side, static_cast<uint16_t>(length + 1));
  Planned& p = push(side, span.offset, length, kFin | kAck);
  p.fresh = span.length;
  met(side, span.end(), true);
  return p;
}

Planned& TcpPen::reset(Side side, uint16_t length) {
  Planned& p = push(side, direction(side).next, length, kRst | kAck);
  p.window = 0;
  p.kind = Kind::kReset;
  distinct(p);
  return p;
}

void TcpPen::close_hole(Side side) {
  held_[side] = false;
  direction(side).ackable = direction(side).next;
}

void TcpPen::distinct(Planned& planned) {
  if (direction(planned.side).anonymous) planned.delay = std::max(planned.delay, kDistinct);
}

}  // namespace traffic_gen
