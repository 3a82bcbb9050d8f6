#include "command/live/load_control.h"

#include <algorithm>
#include <bit>
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

std::uint32_t rounds_that_fit(const RoundsLoad& load) {
  if (load.work.rounds == 0 || load.work.ns <= 0 || load.read == 0) return RoundsBound::kNone;
  const auto of_rounds = static_cast<double>(load.work.ns), read = static_cast<double>(load.read);
  const double arrived_of_read = static_cast<double>(std::max(load.arrived, load.read)) / read;
  const double left = load.ns - std::max(load.ns - of_rounds, 0.0) * arrived_of_read;
  const double rounds = std::max(left, 0.0) * static_cast<double>(load.work.rounds) / of_rounds;
  const double each = rounds / (static_cast<double>(load.work.packets) * arrived_of_read);
  return static_cast<std::uint32_t>(std::clamp(each, 1.0, static_cast<double>(RoundsBound::kNone - 1)));
}

// Packets go through the group, or the chain of them, where they begin, whatever the bound is.
RoundsOfPolicy rounds_of(const CompiledPolicy& policy) {
  RoundsOfPolicy rounds{.longest = policy.memory().longest_path()};
  std::uint32_t least = rounds.longest;
  for (const GroupPlace place : policy.init_places()) {
    if (!is_end_place(place)) least = std::min(least, policy.groups()[place].chain);
  }
  rounds.least = std::max(least, 1u);
  return rounds;
}

std::uint32_t RoundsControl::look(LoadControl::Look look, const RoundsLoad& load, const RoundsOfPolicy& of_policy) {
  const auto& [least, longest] = of_policy;
  const std::uint32_t now = std::max(std::min(most_, longest), least);
  const std::uint32_t growth = std::max(now / 4, 1u);
  look.busy += load.share() * growth / now;
  const LoadControl::Step step = control_.look(look, now > least, most_ != RoundsBound::kNone);
  if (step == LoadControl::Step::less) most_ = std::max(std::min(now / 2, rounds_that_fit(load)), least);
  if (step == LoadControl::Step::more) most_ = now + growth < longest ? now + growth : RoundsBound::kNone;
  return most_;
}

std::uint32_t SampleControl::look(const Look& look) {
  const LoadControl::Step step = control_.look(look, one_in_<rarest_, one_in_> 1);
  if (step == LoadControl::Step::less) one_in_ = std::min(2 * one_in_, rarest_);
  if (step == LoadControl::Step::more) one_in_ = std::bit_ceil(one_in_) / 2;
  return one_in_;
}

}  // namespace warpmeter::inline command
