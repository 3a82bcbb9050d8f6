// The bad habits, one function each.
#include "tcp_talker.h"

#include <algorithm>

namespace reference {
namespace {

constexpr uint8_t fin = 1, syn = 2, rst = 4, push = 8, ack = 16;
constexpr uint32_t half = 1u << 31, quarter = 1u << 30, step = 1u << 26;
constexpr size_t most_edges = 24;

bool is_above(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

}  // namespace

TcpTalker::TcpTalker(Random& random, const TrafficShape& shape) : random_(random), shape_(shape) { begin_anywhere(); }

void TcpTalker::begin_anywhere() {
  const auto near_the_wrap = static_cast<uint32_t>(0 - random_.below(3000));
  isn_ = random_.pick({near_the_wrap, near_the_wrap, static_cast<uint32_t>(random_.bits()), 0u, half - 1, 1000u});
  lowest_ = highest_ = isn_ + 1;
  fin_ = jump_end_ = highest_;
  answered_ = static_cast<uint32_t>(random_.below(3));
  edges_.assign({isn_ + 1});
  runner_ = random_.percent(shape_.jump_percent * 2);
  area_size_ = burst_left_ = 0;
}

SegmentDraft TcpTalker::next() {
  SegmentDraft segment;
  const uint64_t kind = random_.below(100);
  if (in_burst()) segment = burst();
  else if (random_.percent(shape_.restart_percent)) segment = restart();
  else if (random_.percent(shape_.jump_percent)) segment = random_.percent(50) ? jump() : after_jump();
  else if (area_size_ > 0 && kind < 25) segment = into_burst_area();
  else if (kind < 60) segment = data();
  else if (kind < 74) segment = acknowledgement();
  else if (kind < 82) segment = keep_alive();
  else if (kind < 90) segment = opening();
  else if (kind < 98) segment = closing();
  else segment = reset();
  if (shape_.holes > 0 && !in_burst() && random_.percent(3)) start_burst();
  if (random_.percent(3)) segment.flags |= static_cast<uint8_t>(random_.pick({0x20, 0x40, 0x80, 0xc0, 0x08}));
  if ((segment.flags & (syn | ack)) == (syn | ack)) {
    segment.acknowledgement = random_.percent(85) ? answered_ : answered_ + 1;
  }
  segment.window = random_.percent(12) ? 0 : static_cast<uint16_t>(random_.pick({1, 502, 65535}));
  remember(segment);
  return segment;
}

uint32_t TcpTalker::length() {
  const uint32_t any = static_cast<uint32_t>(1 + random_.below(40));
  return random_.pick({1u, 1u, 2u, 3u, 10u, any, any, 100u, 536u, 1460u});
}

uint32_t TcpTalker::edge() { return random_.pick(edges_); }

SegmentDraft TcpTalker::data() { return random_.percent(55) ? in_order() : overlapping(); }

SegmentDraft TcpTalker::in_order() {
  SegmentDraft segment{highest_, push | ack, 0, length()};
  if (random_.percent(20)) segment.sequence += static_cast<uint32_t>(1 + random_.below(60));
  if (runner_) segment.sequence += step + static_cast<uint32_t>(random_.pick({-2, -1, 0, 0, 0, 1}));
  return segment;
}

SegmentDraft TcpTalker::overlapping() {
  SegmentDraft segment{edge(), ack, 0, length()};
  segment.sequence += static_cast<uint32_t>(random_.pick({0, 0, 0, 1, -1, -2, 5, -5}));
  const uint32_t to_edge = edge() - segment.sequence;  // ends exactly where another began or ended
  if (random_.percent(50) && to_edge < 40000) segment.payload = to_edge;
  if (random_.percent(10)) segment.payload += 1;
  return segment;
}

SegmentDraft TcpTalker::acknowledgement() {
  const uint32_t ahead = random_.pick({1u, 2u, 100u, 70000u});
  const uint32_t sequence =
      random_.pick({highest_, highest_, highest_, highest_, edge(), edge() - 1, highest_ + ahead, lowest_ - ahead});
  return {sequence, ack, 0, 0};
}

SegmentDraft TcpTalker::keep_alive() {
  SegmentDraft segment{highest_ - 1, ack, 0, random_.pick({0u, 0u, 1u, 1u, 2u})};
  if (random_.percent(20)) segment.sequence += static_cast<uint32_t>(random_.pick({-1, 1}));
  if (random_.percent(8)) segment.flags |= random_.pick({syn, fin, rst});
  return segment;
}

// A SYN of this incarnation: again, late, or with payload.
SegmentDraft TcpTalker::opening() {
  if (random_.percent(15)) return second_answer();
  SegmentDraft segment{
      random_.pick({isn_, isn_, isn_, lowest_ - 1, lowest_ - 1, lowest_ - 100, lowest_ - 1 - step, lowest_ - 2 - step}),
      syn, 0, 0};
  if (random_.percent(25)) segment.payload = length();
  if (random_.percent(8)) segment.flags |= fin;
  if (random_.percent(8)) segment.flags |= rst;
  if (random_.percent(30)) segment.flags |= ack;
  return segment;
}

// Other numbers, with or without a SYN that says so.
SegmentDraft TcpTalker::restart() {
  const uint32_t before = isn_;
  const uint32_t end = highest_;
  begin_anywhere();
  if (random_.percent(40)) {
    isn_ = random_.pick({before + 1, before - 1, before + half, end, end - 1, lowest_});
    lowest_ = highest_ = isn_ + 1;
    edges_.assign({isn_, isn_ + 1});
  }
  if (random_.percent(15)) return in_order();
  SegmentDraft segment{isn_, syn, 0, 0};
  if (random_.percent(15)) segment.payload = length();
  if (random_.percent(5)) segment.flags |= fin;
  if (random_.percent(5)) segment.flags |= rst;
  return segment;
}

SegmentDraft TcpTalker::closing() {
  SegmentDraft segment{random_.pick({highest_, fin_, fin_, edge(), edge()}), fin | ack, 0, 0};
  if (random_.percent(30)) segment.payload = length();
  fin_ = segment.sequence + segment.payload;
  if (random_.percent(10)) segment.sequence -= 1;
  return segment;
}

SegmentDraft TcpTalker::reset() {
  SegmentDraft segment{random_.pick({highest_, edge(), highest_ + half, highest_ + 1, isn_, isn_ + 1}), rst, 0, 0};
  if (random_.percent(30)) segment.payload = length();
  if (random_.percent(30)) segment.flags |= random_.pick({ack, fin, syn});
  return segment;
}

// About as far away as fits, and further.
SegmentDraft TcpTalker::jump() {
  const uint32_t distance =
      random_.pick({step, step + 1, 2 * step, quarter, half - 1, half, half + 1, half - length(), 3 * quarter - 1,
                    3 * quarter, 3 * quarter + 1, ~0u, isn_ - highest_, isn_ - 1 - highest_, lowest_ - 1 - highest_});
  SegmentDraft segment{highest_ + distance, ack, 0, random_.pick({0u, 1u, 1u, 2u, 100u, length()})};
  if (random_.percent(10)) segment.flags |= random_.pick({fin, fin, rst});
  jump_end_ = segment.sequence + segment.payload + (segment.flags & fin ? 1 : 0);
  return segment;
}

// What goes on where such a segment ended, or nearly.
SegmentDraft TcpTalker::after_jump() {
  const uint32_t apart =
      random_.pick({0u, 0u, 0u, 0u, 1u, 0u - 1, 10u, 0u - 200, step, step + 1, 0u - step, 0u - step - 1});
  SegmentDraft segment{jump_end_ + apart, ack, 0, random_.pick({0u, 1u, 2u, 100u, length()})};
  if (random_.percent(10)) segment.flags |= random_.pick({fin, fin, rst});
  jump_end_ = segment.sequence + segment.payload + (segment.flags & fin ? 1 : 0);
  return segment;
}

// To the SYN that was answered before, with another ISN or the same.
SegmentDraft TcpTalker::second_answer() {
  SegmentDraft segment{random_.pick({isn_ + half, isn_ + 3 * step, isn_ - 77, highest_ + 10, isn_}), syn | ack, 0, 0};
  if (random_.percent(10)) segment.payload = length();
  if (random_.percent(10)) segment.flags |= fin;
  if (random_.percent(50)) {
    isn_ = segment.sequence;
    lowest_ = highest_ = isn_ + 1;
  }
  return segment;
}

// One segment and one hole after the other, upwards or downwards.
void TcpTalker::start_burst() {
  burst_left_ = random_.percent(40) ? shape_.holes : static_cast<uint32_t>(1 + random_.below(shape_.holes));
  const uint32_t stride = random_.pick({2u, 3u, 3u, 10u, 2000u});
  area_begin_ = highest_ + 1;
  area_size_ = burst_left_ * stride;
  const bool downwards = random_.percent(40);
  burst_step_ = downwards ? 0 - stride : stride;
  burst_at_ = downwards ? area_begin_ + area_size_ - stride : area_begin_;
}

SegmentDraft TcpTalker::burst() {
  const SegmentDraft segment{burst_at_, ack, 0, random_.percent(90) ? 1u : 2u};
  burst_at_ += burst_step_;
  burst_left_ -= 1;
  return segment;
}

SegmentDraft TcpTalker::into_burst_area() {
  SegmentDraft segment{area_begin_ + static_cast<uint32_t>(random_.below(area_size_)), ack, 0, length()};
  const uint32_t most = std::min(random_.percent(20) ? area_size_ : area_size_ / 16, 65000u);
  if (random_.percent(5)) segment.payload = static_cast<uint32_t>(random_.below(most + 1));
  return segment;
}

void TcpTalker::remember(const SegmentDraft& segment) {
  if (segment.flags & rst) return;
  const uint32_t own_numbers = ((segment.flags & syn) != 0) + ((segment.flags & fin) != 0);
  const uint32_t end = segment.sequence + segment.payload + own_numbers;
  for (uint32_t number : {segment.sequence, end}) {
    if (edges_.size() < most_edges) edges_.push_back(number);
    else edges_[random_.below(most_edges)] = number;
  }
  if (is_above(lowest_, segment.sequence)) lowest_ = segment.sequence;
  if (is_above(end, highest_)) highest_ = end;
}

}  // namespace reference
