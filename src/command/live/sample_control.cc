#include "command/live/sample_control.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace warpmeter::inline command {

std::uint32_t SampleControl::look(const Look& look) {
  if (!look.settled) changed_ = look.now;
  if (looks_ == 0) quiet_ = look.now;
  busy_ += look.busy;
  ++looks_;
  if (is_in_trouble(look)) {
    begin_anew(look.now);
    if (std::exchange(rose_, false)) wait_ = look.now - changed_ < wait_ ? std::min(2 * wait_, kLongestQuiet) : kQuiet;
    if (one_in_ < rarest_) change(std::min(2 * one_in_, rarest_), look.now);
  } else if (one_in_ > 1 && look.now - std::max(quiet_, changed_) >= wait_) {
    const bool has_time = busy_ < kTimeToSpare * static_cast<double>(looks_);
    begin_anew(look.now);
    if (!has_time) return one_in_;
    if (std::exchange(rose_, true)) wait_ = kQuiet;  // the last one held
    change(std::bit_ceil(one_in_) / 2, look.now);
  }
  return one_in_;
}

// Not in what a change, or the time before it, has left.
bool SampleControl::is_in_trouble(const Look& look) {
  const bool lost = std::exchange(lost_, look.lost) < look.lost;
  if (changed_ != Clock::time_point() && look.now - changed_ < kSettling) return false;
  return lost || look.fill >= kNearlyFull;
}

void SampleControl::begin_anew(Clock::time_point now) {
  quiet_ = now;
  busy_ = 0;
  looks_ = 0;
}

void SampleControl::change(std::uint32_t one_in, Clock::time_point now) {
  one_in_ = one_in;
  changed_ = now;
}

}  // namespace warpmeter::inline command
