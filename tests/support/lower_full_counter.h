// A lower full_counter() for tests that link support/lower_full_counter.cc.
#pragma once

#include <atomic>
#include <cstdint>

namespace warpmeter::test {

inline std::atomic<std::uint32_t> full_counter_now = UINT32_MAX;

// Counters of tables that are made meanwhile are full at so many packets. One at a time.
class FullCounter {
 public:
  explicit FullCounter(std::uint32_t packets) { full_counter_now = packets; }
  ~FullCounter() { full_counter_now = UINT32_MAX; }
  FullCounter(const FullCounter&) = delete;
  FullCounter& operator=(const FullCounter&) = delete;
};

}  // namespace warpmeter::test
