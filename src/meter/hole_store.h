// Where the holes of a shard's flows live: small arrays in pools of four sizes, and a tree for the few flows with more.
// A flow without holes has handle 0 and nothing here.
//
// What a flow or the shard may hold is limited; beyond that a flow's lowest hole is forgotten and counted.
//
// Threads: one owner (a shard).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "meter/hole_tree.h"
#include "warpmeter/holes.h"

namespace warpmeter {

class HoleStore {
 public:
  static constexpr std::size_t kMaxHolesPerFlow = 1 << 20;

  explicit HoleStore(std::uint64_t memory_limit, std::size_t max_holes_per_flow = kMaxHolesPerFlow)
      : memory_limit_(memory_limit), max_holes_per_flow_(max_holes_per_flow) {}

  std::int64_t missing_between(std::uint32_t handle, std::int64_t begin, std::int64_t end) const;
  std::int64_t missing_in_all(std::uint32_t handle) const;  // of handle 0: none
  // These may change `handle`: 0 means that no hole is left.
  void add_highest(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void add_lowest(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void fill(std::uint32_t& handle, std::int64_t begin, std::int64_t end);
  void release(std::uint32_t& handle);

  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t memory() const { return memory_; }

 private:
  static constexpr std::array<std::uint32_t, 4> kSizes = {4, 16, 64, 256};

  struct Set {
    HoleArray array{};  // valid unless `tree`
    std::unique_ptr<HoleTree> tree;
  };

  template <class AddToTree, class AddToArray>
  void add(std::uint32_t& handle, AddToTree add_to_tree, AddToArray add_to_array);
  std::uint32_t new_set();
  bool make_room(Set& set);  // for one more hole; false if the limits allow none
  bool over_limit(const HoleTree& tree) const;
  void make_room_or_drop(Set& set);
  void drop_lowest(Set& set);
  bool grow_array(Set& set);
  Hole* take_array(unsigned size_class);
  static unsigned class_of(std::uint32_t capacity);
  void free_array(const HoleArray& array);
  void note_tree_growth(std::size_t before, std::size_t after);

  const std::uint64_t memory_limit_;
  const std::size_t max_holes_per_flow_;
  std::vector<Set> sets_;  // set of handle h at h - 1
  std::vector<std::uint32_t> free_handles_;
  std::array<std::vector<Hole*>, kSizes.size()> free_arrays_;
  std::vector<std::unique_ptr<Hole[]>> slabs_;
  std::uint64_t memory_ = 0;
  std::uint64_t dropped_ = 0;
};

// One flow's holes, as flow_state.h wants them.
class FlowHoles {
 public:
  FlowHoles(HoleStore& store, std::uint32_t& handle) : store_(store), handle_(handle) {}
  std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return store_.missing_between(handle_, begin, end);
  }
  std::int64_t total() const { return store_.missing_in_all(handle_); }
  void fill(std::int64_t begin, std::int64_t end) { store_.fill(handle_, begin, end); }
  void add_highest(std::int64_t begin, std::int64_t end) { store_.add_highest(handle_, begin, end); }
  void add_lowest(std::int64_t begin, std::int64_t end) { store_.add_lowest(handle_, begin, end); }

 private:
  HoleStore& store_;
  std::uint32_t& handle_;
};

}  // namespace warpmeter
