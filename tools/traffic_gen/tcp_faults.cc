#include "tcp_faults.h"

#include <algorithm>

namespace traffic_gen {
namespace {

// New data and acknowledgements between a segment and what becomes of it.
void meanwhile(TcpPen& pen, Side side, unsigned most) {
  for (uint64_t n = pen.random().below(most + 1); n > 0; n--) {
    pen.first(side, pen.claim(side));
    if (pen.random().chance(0.5)) pen.ack(other(side));
  }
}

// Up to three segments, then all of them once more: the same ones, as if a window was sent again.
void same(TcpPen& pen, Side side) {
  Planned sent[3];
  const uint64_t count = pen.random().between(1, 3);
  for (uint64_t i = 0; i < count; i++) sent[i] = pen.first(side, pen.claim(side));
  meanwhile(pen, side, 2);
  for (uint64_t i = 0; i < count; i++) pen.twin(sent[i], Kind::kSame);
  if (pen.random().chance(0.25)) pen.twin(sent[0], Kind::kSameAgain);
}

void resplit(TcpPen& pen, Side side) {
  const Span sent = pen.claim(side);
  pen.first(side, sent);
  meanwhile(pen, side, 2);
  // The second piece has two bytes or more: a lone byte at the end would look like a keep-alive.
  const auto cut = static_cast<uint16_t>(pen.random().between(1, sent.length - 2));
  const auto rest = static_cast<uint16_t>(sent.length - cut);
  pen.again(side, {sent.offset, cut}, cut, Kind::kResplit);
  pen.again(side, {sent.offset + cut, rest}, rest, Kind::kResplit);
}

void joined(TcpPen& pen, Side side) {
  const Span one = pen.claim(side, pen.half()), two = pen.claim(side, pen.half());
  pen.first(side, one);
  pen.first(side, two);
  meanwhile(pen, side, 2);
  const auto length = static_cast<uint16_t>(one.length + two.length);
  pen.again(side, {one.offset, length}, length, Kind::kJoined);
}

void overlapping(TcpPen& pen, Side side) {
  const Span sent = pen.claim(side);
  pen.first(side, sent);
  const auto old_bytes = static_cast<uint16_t>(pen.random().between(1, sent.length / 2));
  const Span added = pen.claim(side, pen.half());
  const auto length = static_cast<uint16_t>(old_bytes + added.length);
  pen.again(side, {sent.end() - old_bytes, length}, old_bytes, Kind::kOverlapping);
}

void hole_and_overlap(TcpPen& pen, Side side) {
  pen.open_hole(side);
  const Span lost = pen.claim(side, pen.half()), seen = pen.claim(side, pen.half());
  pen.first(side, seen);
  pen.ack(other(side));
  const auto length = static_cast<uint16_t>(lost.length + seen.length);
  pen.again(side, {lost.offset, length}, seen.length, Kind::kHoleAndOverlap);
  pen.close_hole(side);
}

void lone_byte(TcpPen& pen, Side side) {
  const Span byte = pen.claim(side, 1);
  pen.first(side, byte);
  pen.first(side, pen.claim(side));  // from here on the byte is not the highest
  meanwhile(pen, side, 1);
  pen.again(side, byte, 1, Kind::kLoneByte);
}

void lost_resent(TcpPen& pen, Side side) {
  pen.open_hole(side);
  const Span lost = pen.claim(side);
  pen.first(side, pen.claim(side));
  pen.ack(other(side));
  meanwhile(pen, side, 2);
  if (pen.random().chance(0.7)) {
    pen.late(side, lost, Kind::kLostResent);
  } else {
    const auto cut = static_cast<uint16_t>(pen.random().between(1, lost.length - 1));
    pen.late(side, {lost.offset, cut}, Kind::kLostResent);
    pen.late(side, {lost.offset + cut, static_cast<uint16_t>(lost.length - cut)}, Kind::kLostResent);
  }
  pen.close_hole(side);
}

// The receiver has it, the capture never will.
void lost_forever(TcpPen& pen, Side side) {
  pen.claim(side);
  if (pen.random().chance(0.8)) pen.first(side, pen.claim(side), Kind::kLostForever);
  else pen.ack(side).kind = Kind::kLostForever;
}

struct Retransmission {
  void (*plant)(TcpPen&, Side);
  bool structural;  // some of it starts where no segment started before
};
constexpr Retransmission kRetransmissions[] = {{same, false},       {resplit, true},          {joined, false},
                                               {overlapping, true}, {hole_and_overlap, true}, {lone_byte, false}};

// Three are structural, three are not. A share of a half makes all weights 1, exactly.
const Retransmission& draw_retransmission(Random& random, double structural_share) {
  double draw = static_cast<double>(random.below(uint64_t{1} << 32)) * 0x1p-32 * std::size(kRetransmissions);
  for (const Retransmission& r : kRetransmissions)
    if ((draw -= 2 * (r.structural ? structural_share : 1 - structural_share)) < 0) return r;
  return kRetransmissions[structural_share > 0.5 ? 4 : 5];  // rounding left something over
}

// Half of the time, as if a timer had to run out first: what is sent again waits, heavy-tailed.
void hold_back(TcpPen& pen, uint8_t planned_before, double mean_seconds) {
  if (pen.random().chance(0.5)) return;
  Connection& c = pen.connection();
  Planned* const end = c.plan.data() + c.plan_end;
  Planned* again = std::find_if(c.plan.data() + planned_before, end, [](auto& p) { return p.again > 0; });
  if (again == end) return;
  const double seconds = std::min(pen.random().pareto(mean_seconds), static_cast<double>(kLongestGap / kSecond));
  const uint64_t wait = static_cast<uint64_t>(seconds * static_cast<double>(kSecond));
  again->delay = std::max(again->delay, std::min(again->delay + wait, kLongestGap));
}

}  // namespace

void plant_retransmission(TcpPen& pen, Side side, const Options& o) {
  const uint8_t before = pen.connection().plan_end;
  draw_retransmission(pen.random(), o.structural).plant(pen, side);
  if (o.retransmit_wait > 0) hold_back(pen, before, o.retransmit_wait);
}

void plant_reordering(TcpPen& pen, Side side) {
  pen.open_hole(side);
  const Span one = pen.claim(side), two = pen.claim(side);
  if (pen.random().chance(0.7)) {
    pen.first(side, two);
    meanwhile(pen, side, 1);
    pen.late(side, one, Kind::kLate);
  } else {
    pen.first(side, pen.claim(side));
    pen.late(side, two, Kind::kLateReversed);
    pen.late(side, one, Kind::kLateReversed);
  }
  pen.close_hole(side);
}

void plant_loss(TcpPen& pen, Side side) {
  if (pen.random().chance(0.5)) lost_resent(pen, side);
  else lost_forever(pen, side);
}

void plant_keep_alive(TcpPen& pen, Side side) {
  const Direction& d = pen.direction(side);
  if (d.top != d.next || d.next < 2) pen.first(side, pen.claim(side));
  for (uint64_t n = pen.random().between(1, 3); n > 0; n--) {
    pen.keep_alive(side, pen.random().chance(0.5) ? 1 : 0);
    pen.ack(other(side));
  }
}

void plant_zero_window(TcpPen& pen, Side side) {
  pen.first(side, pen.claim(side));
  pen.zero_window(other(side));
  for (uint64_t n = pen.random().below(3); n > 0; n--) {
    pen.keep_alive(side, 0);
    pen.zero_window(other(side));
  }
}

unsigned plant_any(TcpPen& pen, Side side, const Options& o) {
  const uint8_t before = pen.connection().plan_end;
  double draw = pen.random().real();
  const auto drawn = [&draw](double share) { return (draw -= share) < 0; };
  if (drawn(o.loss)) plant_loss(pen, side);
  else if (drawn(o.retransmit)) plant_retransmission(pen, side, o);
  else if (drawn(o.reorder)) plant_reordering(pen, side);
  else if (drawn(o.keep_alive)) plant_keep_alive(pen, side);
  else if (drawn(o.zero_window)) plant_zero_window(pen, side);
  unsigned segments = 0;
  for (uint8_t i = before; i < pen.connection().plan_end; i++)
    segments += pen.connection().plan[i].side == side && pen.connection().plan[i].length > 0;
  return segments;
}

}  // namespace traffic_gen
