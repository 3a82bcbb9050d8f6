// A tile on the CPU whose lanes are threads, for ThreadSanitizer: only sync() orders what lanes do to memory. ballot
// and shfl bring values and no order, as on a GPU, so a lane that reads what another writes without a sync() between is
// reported as a race, even where it goes well.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace warpmeter::test {

// Where the lanes of one tile meet.
template <unsigned kLanes>
class LaneMeeting {
 public:
  using Values = std::array<std::atomic<std::uint64_t>, kLanes>;

  // All that happened before in any lane happens before what comes after in any.
  void meet_in_order() { meet(std::memory_order_acq_rel, std::memory_order_release, std::memory_order_acquire); }

  // Of `call`, the number of this call in this lane: what each lane gave.
  const Values& exchange(std::uint64_t call, unsigned lane, std::uint64_t value) {
    Values& values = values_[call % 2];  // in turn: another lane may not yet have read those of the call before
    values[lane].store(value, std::memory_order_relaxed);
    meet(std::memory_order_relaxed, std::memory_order_relaxed, std::memory_order_relaxed);
    return values;
  }

 private:
  void meet(std::memory_order arrive, std::memory_order open, std::memory_order leave) {
    const std::uint32_t round = round_.load(std::memory_order_relaxed);
    keep_order_unseen();
    if (arrived_.fetch_add(1, arrive) + 1 == kLanes) {
      arrived_.store(0, std::memory_order_relaxed);
      keep_order_unseen();
      round_.store(round + 1, open);
      futex(FUTEX_WAKE_PRIVATE, INT_MAX);
    } else {
      while (round_.load(leave) == round) futex(FUTEX_WAIT_PRIVATE, round);
    }
    keep_order_unseen();
  }

  // No std::atomic::wait: what that does besides waiting orders memory.
  void futex(int what, std::uint32_t value) { syscall(SYS_futex, &round_, what, value, nullptr, nullptr, 0); }

  // The values must arrive all the same: a fence that ThreadSanitizer knows nothing of.
  static void keep_order_unseen() {
#if defined(__aarch64__)
    asm volatile("dmb ish" ::: "memory");
#else
    asm volatile("" ::: "memory");
#endif
  }

  std::atomic<unsigned> arrived_ = 0;
  std::atomic<std::uint32_t> round_ = 0;
  Values values_[2]{};
};

template <unsigned kLanes>
class ThreadTile {
 public:
  static constexpr unsigned kSize = kLanes;
  ThreadTile(LaneMeeting<kLanes>& meeting, unsigned rank) : meeting_(meeting), rank_(rank) {}

  unsigned rank() const { return rank_; }

  std::uint32_t ballot(bool said) {
    const auto& all = meeting_.exchange(call_++, rank_, said);
    std::uint32_t bits = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      bits |= static_cast<std::uint32_t>(all[lane].load(std::memory_order_relaxed)) << lane;
    }
    return bits;
  }

  template <class T>
  T shfl(T value, unsigned lane) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    word = meeting_.exchange(call_++, rank_, word)[lane % kLanes].load(std::memory_order_relaxed);
    std::memcpy(&value, &word, sizeof value);
    return value;
  }

  void sync() { meeting_.meet_in_order(); }

 private:
  LaneMeeting<kLanes>& meeting_;
  const unsigned rank_;
  std::uint64_t call_ = 0;
};

// Calls kernel(tile, i) for every i below `count`, with `tiles` tiles at work at a time.
template <unsigned kLanes, class Kernel>
void run_in_lane_threads(const Kernel& kernel, std::uint32_t count, unsigned tiles) {
  std::vector<LaneMeeting<kLanes>> meetings(tiles);
  std::vector<std::jthread> lanes;
  for (unsigned t = 0; t < tiles; ++t) {
    for (unsigned rank = 0; rank < kLanes; ++rank) {
      lanes.emplace_back([&kernel, &meeting = meetings[t], rank, t, tiles, count] {
        ThreadTile<kLanes> tile(meeting, rank);
        for (std::uint32_t i = t; i < count; i += tiles) kernel(tile, i);
      });
    }
  }
}

}  // namespace warpmeter::test
