#include "command/live/rounds_control.h"

#include <algorithm>

namespace warpmeter::inline command {

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

}  // namespace warpmeter::inline command
