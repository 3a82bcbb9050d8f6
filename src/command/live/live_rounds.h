// The bound on a packet's rounds in a live capture that follows what the machine has left (--rounds auto): looks how
// the rings do and what rounds take, decides, and tells everybody: those who run rounds, the log, the summary.
//
// Threads: as said at each.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "command/live/load_control.h"
#include "core/thread_annotations.h"
#include "packet/nic/ring/ring_counts.h"
#include "policy/rounds/rounds_options.h"
#include "policy/rounds/running_policy.h"

namespace warpmeter::inline command {

class LiveRounds {
 public:
  // The summary has the latest of them.
  static constexpr std::size_t kChangesKept = 1000;

  // Of so many threads that meter.
  LiveRounds(std::shared_ptr<RoundsBound> bound, std::shared_ptr<const RunningPolicy> policy, unsigned threads);

  // Some times a second, from one thread.
  void look(std::span<const RingCounts> rings);

  // From any thread. 0: no bound.
  std::uint32_t most() const {
    const std::uint32_t most = bound_->most();
    return most == RoundsBound::kNone ? 0 : most;
  }
  std::vector<RoundsChange> changes() const;

 private:
  // At one look, since the capture began.
  struct Seen {
    LoadControl::Clock::time_point now;
    double cpu_ns = 0;  // of the process
    RoundsBound::Work work = {};
    std::uint64_t arrived = 0, read = 0;
  };
  RoundsLoad load() const;
  double busy() const;
  void change(std::uint32_t most);

  const std::shared_ptr<RoundsBound> bound_;
  const std::shared_ptr<const RunningPolicy> policy_;
  const unsigned threads_;
  RoundsControl control_;
  std::deque<Seen> seen_;  // in the last second, in which losses are told once
  std::uint64_t generation_ = 0;
  RoundsOfPolicy of_policy_;
  mutable std::mutex mutex_;
  std::vector<RoundsChange> changes_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
