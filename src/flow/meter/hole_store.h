// Where the holes of a shard's flows live: small arrays, and a tree for the few flows with more. A flow without holes
// has handle 0 and nothing here.
//
// What a flow may hold is limited; beyond that its lowest hole is forgotten and counted. What all flows hold is not:
// what is forgotten depends on a flow's own packets alone.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

#include "core/holes.h"
#include "flow/meter/hole_tree.h"

namespace warpmeter::inline flow {

class HoleStore {
 public:
  static constexpr std::size_t kMaxHolesPerFlow = 1 << 20;

  // `memory` must outlive it; what it throws, whatever adds holes or fills throws.
  explicit HoleStore(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource(),
                     std::size_t max_holes_per_flow = kMaxHolesPerFlow)
      : arrays_(memory), max_holes_per_flow_(max_holes_per_flow) {}

  std::int64_t missing_between(std::uint32_t handle, std::int64_t begin, std::int64_t end) const;
  std::int64_t missing_in_all(std::uint32_t handle) const;  // of handle 0: none
  // These may change `handle`: 0 means that no hole is left.
  void add_highest(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void add_lowest(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void fill(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void release(std::uint32_t& handle);

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t memory() const { return arrays_.memory(); }

 private:
  struct Set {
    HoleArray array{};  // valid unless `tree`
    std::unique_ptr<HoleTree> tree;

    std::size_t count() const { return tree ? tree->count() : array.count; }
  };

  template <class AddToTree, class AddToArray>
  void add(std::uint32_t& handle, AddToTree add_to_tree, AddToArray add_to_array);
  std::uint32_t new_set();
  void make_room(Set& set);  // in the array, for one more hole
  void drop_beyond_limit(Set& set);

  HoleArrays arrays_;
  const std::size_t max_holes_per_flow_;
  std::vector<Set> sets_;  // set of handle h at h - 1
  std::vector<std::uint32_t> free_handles_;
  std::uint64_t dropped_ = 0;
};

// One flow's holes, as judge.h and apply.h want them.
class FlowHoles {
 public:
  FlowHoles(HoleStore& store, std::uint32_t& handle) : store_(store), handle_(handle) {}
  std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return store_.missing_between(handle_, begin, end);
  }
  std::int64_t total() const { return store_.missing_in_all(handle_); }
  void clear() { store_.release(handle_); }
  void fill(std::int64_t begin, std::int64_t end) { store_.fill(handle_, begin, end); }
  void add_highest(std::int64_t begin, std::int64_t end) { store_.add_highest(handle_, begin, end); }
  void add_lowest(std::int64_t begin, std::int64_t end) { store_.add_lowest(handle_, begin, end); }

 private:
  HoleStore& store_;
  std::uint32_t& handle_;
};

}  // namespace warpmeter::inline flow
