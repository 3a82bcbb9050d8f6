// Where a shard keeps what flows with strays have beside their state (stray.h). A flow without has handle 0 and nothing
// here.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <deque>
#include <memory_resource>
#include <vector>

#include "core/stray.h"

namespace warpmeter::inline flow {

class StrayStore {
 public:
  // `memory` must outlive it.
  explicit StrayStore(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource()) : states_(&memory) {}

  // That of a flow, which is made if there is none: then `handle` changes.
  StrayState& of(std::uint32_t& handle) {
    if (!handle) handle = make();
    return states_[handle - 1];
  }

  // REQUIRES: a handle other than 0.
  const StrayState& at(std::uint32_t handle) const { return states_[handle - 1]; }

  void release(std::uint32_t& handle) {
    if (handle) free_.push_back(handle);
    handle = 0;
  }

 private:
  std::uint32_t make() {
    if (free_.empty()) {
      states_.emplace_back();
      return static_cast<std::uint32_t>(states_.size());
    }
    const std::uint32_t handle = free_.back();
    free_.pop_back();
    states_[handle - 1] = {};
    return handle;
  }

  std::pmr::deque<StrayState> states_;  // that of handle h at h - 1
  std::vector<std::uint32_t> free_;     // handles
};

}  // namespace warpmeter::inline flow
