// Who sends most just now, by the flows that live: each owner of rings looks through its own flows, some between two
// batches, and sums up by host what they grew by since it looked before. It costs a look at each flow a second, 16
// bytes a flow, and only where there is a status line to show it.
//
// A flow that ends is not seen any more: what it sent since the last look is not in it.
//
// Threads: each Walk by the owner whose flows these are; LiveTalkers by any. A lock is held for as long as some hosts
// are copied, once a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "command/live/top_hosts.h"
#include "core/thread_annotations.h"
#include "flow/meter/shard.h"

namespace warpmeter::inline command {

class LiveTalkers {
 public:
  static constexpr std::chrono::milliseconds kUsual{1000};

  // Looks through all flows are begun so often, at most.
  explicit LiveTalkers(std::chrono::milliseconds every = kUsual) : every_(every) {}

  // What one owner does for it. What is referred to must outlive it.
  class Walk {
   public:
    Walk(LiveTalkers& talkers, const std::vector<std::unique_ptr<Shard>>& shards);

    // Looks at so many flows, if it is time to.
    void look(std::size_t flows);

   private:
    using Clock = std::chrono::steady_clock;
    struct Seen {
      std::uint64_t arrival;  // of which part of which flow
      std::uint64_t bytes;
    };

    void look_at(const Shard& shard, std::vector<Seen>& seen);
    void tell();

    LiveTalkers& talkers_;
    const std::size_t place_;
    const std::vector<std::unique_ptr<Shard>>& shards_;
    std::vector<std::vector<Seen>> seen_;  // of each shard, by the numbers of flows
    TopHosts hosts_;
    Clock::time_point began_, before_;    // this look through all flows, and the one before
    std::size_t shard_ = 0, number_ = 0;  // where it goes on
    bool under_way_ = false;
  };

  // Bytes a second.
  std::vector<TopHost> top(std::size_t most) const;

 private:
  static constexpr std::size_t kKept = 64;  // hosts of an owner

  const std::chrono::milliseconds every_;
  mutable std::mutex mutex_;
  // Bytes a second, as of when each was through last.
  std::vector<std::vector<TopHost>> of_owners_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
