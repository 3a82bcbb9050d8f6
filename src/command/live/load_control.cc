#include "command/live/load_control.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline command {

LoadControl::Step LoadControl::look(const Look& look, bool has_less, bool has_more) {
  if (!look.settled) changed_ = look.now;
  if (looks_ == 0) quiet_ = look.now;
  busy_ += look.busy;
  ++looks_;
  if (is_in_trouble(look)) {
    begin_anew(look.now);
    if (std::exchange(rose_, false)) {
      wait_ = look.now - changed_ < wait_ ? std::min(2 * wait_, kLongestQuiet) : shortest_;
    }
    if (!has_less) return Step::stay;
    changed_ = look.now;
    return Step::less;
  }
  if (!has_more || look.now - std::max(quiet_, changed_) < wait_) return Step::stay;
  const bool has_time = busy_ < time_to_spare_ * static_cast<double>(looks_);
  begin_anew(look.now);
  if (!has_time) return Step::stay;
  if (std::exchange(rose_, true)) wait_ = shortest_;  // the last one held
  changed_ = look.now;
  return Step::more;
}

// Not in what a change, or the time before it, has left.
bool LoadControl::is_in_trouble(const Look& look) {
  const bool lost = std::exchange(lost_, look.lost) < look.lost;
  if (changed_ != Clock::time_point() && look.now - changed_ < kSettling) return false;
  return lost || look.fill >= kNearlyFull;
}

void LoadControl::begin_anew(Clock::time_point now) {
  quiet_ = now;
  busy_ = 0;
  looks_ = 0;
}

}  // namespace warpmeter::inline command
