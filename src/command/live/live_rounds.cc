#include "command/live/live_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

#include "base/program/messages.h"
#include "base/words/human_units.h"

namespace warpmeter::inline command {
namespace {

constexpr std::chrono::seconds kSeenFor{1};

double process_cpu_ns() {
  timespec now{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double ns_between(LoadControl::Clock::time_point from, LoadControl::Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

}  // namespace

LiveRounds::LiveRounds(std::shared_ptr<RoundsBound> bound, std::shared_ptr<const RunningPolicy> policy,
                       unsigned threads)
    : bound_(std::move(bound)),
      policy_(std::move(policy)),
      threads_(std::max(threads, 1u)),
      generation_(policy_->generation()),
      of_policy_(rounds_of(*policy_->current())) {}

// Losses that fewer rounds help against, as with LiveSampling.
void LiveRounds::look(std::span<const RingCounts> rings) {
  LoadControl::Look look{.now = LoadControl::Clock::now()};
  Seen seen{.now = look.now, .cpu_ns = process_cpu_ns(), .work = bound_->work()};
  for (const RingCounts& ring : rings) {
    look.lost += ring.ring_full + ring.hand_over_full;
    look.fill = std::max(look.fill, ring.fill.value_or(0));
    seen.read += ring.received;
  }
  seen.arrived = seen.read + look.lost;
  seen_.push_back(seen);
  while (seen_.size() > 2 && look.now - seen_[1].now >= kSeenFor) seen_.pop_front();
  look.busy = busy();
  if (const std::uint64_t generation = policy_->generation(); std::exchange(generation_, generation) != generation) {
    of_policy_ = rounds_of(*policy_->current());
  }
  if (const std::uint32_t most = control_.look(look, load(), of_policy_); most != bound_->most()) change(most);
}

RoundsLoad LiveRounds::load() const {
  const Seen &from = seen_.front(), &to = seen_.back();
  return {.ns = threads_ * ns_between(from.now, to.now),
          .work = {to.work.rounds - from.work.rounds, to.work.packets - from.work.packets, to.work.ns - from.work.ns},
          .arrived = to.arrived - from.arrived,
          .read = to.read - from.read};
}

// The share of what the machine has for so many threads, since the last look.
double LiveRounds::busy() const {
  if (seen_.size() < 2) return 0;
  const Seen &from = seen_[seen_.size() - 2], &to = seen_.back();
  const unsigned cores = std::min(threads_, std::max(std::thread::hardware_concurrency(), 1u));
  return (to.cpu_ns - from.cpu_ns) / std::max(cores * ns_between(from.now, to.now), 1.0);
}

void LiveRounds::change(std::uint32_t most) {
  const bool is_less = most < bound_->most();
  const std::int64_t now_ns = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  bound_->change(most);
  {
    const std::lock_guard lock(mutex_);
    if (changes_.size() == kChangesKept) changes_.erase(changes_.begin());
    changes_.push_back({now_ns, most});
  }
  const std::string rounds =
      most == RoundsBound::kNone ? "all their rounds" : "at most " + human_number_of(most, "round");
  warn(fmt::format("{}: packets have {} from now on (--rounds auto)",
                   is_less ? "metering does not keep up" : "metering keeps up", rounds));
}

std::vector<RoundsChange> LiveRounds::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

}  // namespace warpmeter::inline command
