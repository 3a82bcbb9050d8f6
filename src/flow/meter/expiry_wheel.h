// Which flows of a live capture may be idle by now, without a look at all of them: a timing wheel. Each live flow is
// filed once, under the time at which it would be idle if nothing came any more; packets change nothing of it. When
// that time has passed, the flow is looked at: it has ended, or is filed anew. So a flow is looked at about once an
// idle timeout, whatever its packets are; where the timeout is longer than the wheel goes round, once a round.
//
// Slots are lists through an array of numbers: 4 bytes a flow, and nothing is allocated but when there are more flows.
//
// Time may jump. Forward: each slot is looked at once, however far. Back: what was filed before is looked at within one
// round, what is filed from then on is in time.
//
// Threads: one owner (a shard).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace warpmeter::inline flow {

class ExpiryWheel {
 public:
  static constexpr std::int64_t kSlots = 512;
  static constexpr std::int64_t kGone = std::numeric_limits<std::int64_t>::max();  // a flow is no more

  // A slot is so long, ns: how late a flow is found at most, once time has passed.
  explicit ExpiryWheel(std::int64_t slot_ns) : slot_ns_(std::max<std::int64_t>(slot_ns, 1)), first_(kSlots) {}

  // The flow of this number is to be looked at when this time has passed. REQUIRES: it is not filed.
  void file(std::uint32_t number, std::int64_t due_ns) {
    if (hand_ == kNoTime) hand_ = tick_of(due_ns) - kSlots + 1;
    const std::int64_t tick = std::clamp(tick_of(due_ns), hand_, hand_ + kSlots - 1);
    if (number >= next_.size()) next_.resize(number + number / 2 + 64);
    put(slot_of(tick), number);
  }

  // Nothing is filed any more.
  void clear() {
    std::fill(first_.begin(), first_.end(), 0);
    pending_ = 0;
  }

  // This time has passed. Calls `look(number)` for each flow that was due before it, which says when it is due next, or
  // kGone; a little before that `ask_for(number)`. Takes one of `looks` for each, and stops when there are none left:
  // false; it goes on there when it is called again.
  template <class AskFor, class Look>
  bool turn(std::int64_t watermark_ns, std::size_t& looks, const AskFor& ask_for, const Look& look) {
    const std::int64_t now = tick_of(watermark_ns);
    if (hand_ == kNoTime || now < hand_) hand_ = now;
    hand_ = std::max(hand_, now - kSlots);
    for (;;) {
      for (; pending_ == 0; ++hand_) {
        if (hand_ >= now) return true;
        pending_ = std::exchange(first_[slot_of(hand_)], 0);
      }
      if (looks == 0) return false;
      look_at_some(looks, ask_for, look);
    }
  }

 private:
  static constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();
  static constexpr std::size_t kAtOnce = 16;

  template <class AskFor, class Look>
  void look_at_some(std::size_t& looks, const AskFor& ask_for, const Look& look) {
    std::array<std::uint32_t, kAtOnce> some;
    std::size_t count = 0;
    for (; pending_ && count < std::min(kAtOnce, looks); pending_ = next_[some[count++]]) {
      some[count] = pending_ - 1;
      ask_for(some[count]);
    }
    looks -= count;
    for (std::size_t i = 0; i < count; ++i) {
      if (const std::int64_t due_ns = look(some[i]); due_ns != kGone) file(some[i], due_ns);
    }
  }

  // Rounded down, before 1970 too.
  std::int64_t tick_of(std::int64_t ns) const { return ns / slot_ns_ - (ns % slot_ns_ < 0); }
  static std::size_t slot_of(std::int64_t tick) { return static_cast<std::uint64_t>(tick) % kSlots; }
  void put(std::size_t slot, std::uint32_t number) { next_[number] = std::exchange(first_[slot], number + 1); }

  const std::int64_t slot_ns_;
  std::vector<std::uint32_t> first_;  // of a slot: number + 1, 0 = none
  std::vector<std::uint32_t> next_;   // of its slot, by number: number + 1, 0 = none
  std::uint32_t pending_ = 0;         // due, and not looked at yet: the same
  std::int64_t hand_ = kNoTime;       // slots before it have been looked at
};

}  // namespace warpmeter::inline flow
