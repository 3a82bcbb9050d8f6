// How far metering has come while it goes on: what its threads count, as relaxed atomics that they add to once a batch.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "core/counters.h"

namespace warpmeter::inline pipeline {

struct RunningCounts {
  std::uint64_t frames = 0;
  std::uint64_t metered = 0;
  std::array<std::uint64_t, kIgnoredReasons> ignored{};
  std::uint64_t ignored_bytes = 0;
  std::uint64_t live_flows = 0;
  std::uint64_t ended_flows = 0;  // partials that metering gave away: of an evicted flow there may be several
  std::uint64_t bytes_read = 0;   // captured, where metering reads by itself; else the source tells
};

class RunningCounters {
 public:
  // What decoding counted of a batch that is metered now. Of each batch once.
  void add(const DecodeCounters& batch) {
    add(frames_, batch.frames);
    add(metered_, batch.metered);
    for (int i = 0; i < kIgnoredReasons; ++i) add(ignored_[i], batch.ignored[i]);
    add(ignored_bytes_, batch.ignored_bytes);
  }

  // Whoever keeps flows has so many now and had `before` when it told last.
  void live_flows(std::uint64_t now, std::uint64_t before) { add(live_flows_, now - before); }

  void ended_flows(std::uint64_t count) { add(ended_flows_, count); }
  void bytes_read(std::uint64_t count) { add(bytes_read_, count); }

  RunningCounts counts() const {
    RunningCounts counts;
    counts.frames = frames_.load(std::memory_order_relaxed);
    counts.metered = metered_.load(std::memory_order_relaxed);
    for (int i = 0; i < kIgnoredReasons; ++i) counts.ignored[i] = ignored_[i].load(std::memory_order_relaxed);
    counts.ignored_bytes = ignored_bytes_.load(std::memory_order_relaxed);
    counts.live_flows = live_flows_.load(std::memory_order_relaxed);
    counts.ended_flows = ended_flows_.load(std::memory_order_relaxed);
    counts.bytes_read = bytes_read_.load(std::memory_order_relaxed);
    return counts;
  }

 private:
  using Counter = std::atomic<std::uint64_t>;
  static void add(Counter& counter, std::uint64_t count) {
    if (count) counter.fetch_add(count, std::memory_order_relaxed);
  }

  Counter frames_ = 0, metered_ = 0, ignored_bytes_ = 0, live_flows_ = 0, ended_flows_ = 0, bytes_read_ = 0;
  std::array<Counter, kIgnoredReasons> ignored_{};
};

}  // namespace warpmeter::inline pipeline
