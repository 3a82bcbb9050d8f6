#include "meter/hole_store.h"

#include <algorithm>

namespace warpmeter {
namespace {

constexpr std::uint64_t kSlabBytes = 16 << 10;
constexpr std::uint64_t kTreeNodeBytes = 64;  // what a std::map node of two numbers takes from the allocator

}  // namespace

std::int64_t HoleStore::missing_between(std::uint32_t handle, std::int64_t begin, std::int64_t end) const {
  const Set& set = sets_[handle - 1];
  return set.tree ? set.tree->missing_between(begin, end) : warpmeter::missing_between(set.array, begin, end);
}

std::int64_t HoleStore::missing_in_all(std::uint32_t handle) const {
  if (!handle) return 0;
  const Set& set = sets_[handle - 1];
  return set.tree ? set.tree->missing_in_all() : warpmeter::missing_in_all(set.array);
}

std::uint32_t HoleStore::new_set() {
  if (free_handles_.empty()) {
    sets_.emplace_back();
    return static_cast<std::uint32_t>(sets_.size());
  }
  const std::uint32_t handle = free_handles_.back();
  free_handles_.pop_back();
  return handle;
}

void HoleStore::add_highest(std::uint32_t& handle, std::int64_t begin, std::int64_t end) {
  add(
      handle, [=](HoleTree& tree) { tree.add_highest(begin, end); },
      [=](HoleArray& array) { add_highest_hole(array, begin, end); });
}

void HoleStore::add_lowest(std::uint32_t& handle, std::int64_t begin, std::int64_t end) {
  add(
      handle, [=](HoleTree& tree) { tree.add_lowest(begin, end); },
      [=](HoleArray& array) { add_lowest_hole(array, begin, end); });
}

template <class AddToTree, class AddToArray>
void HoleStore::add(std::uint32_t& handle, AddToTree add_to_tree, AddToArray add_to_array) {
  if (!handle) handle = new_set();
  Set& set = sets_[handle - 1];
  make_room_or_drop(set);
  if (set.tree) {
    const std::size_t before = set.tree->count();
    add_to_tree(*set.tree);
    note_tree_growth(before, set.tree->count());
  } else if (set.array.capacity) {
    add_to_array(set.array);
  } else {
    release(handle);  // not even a first array: make_room_or_drop counted the hole
  }
}

void HoleStore::fill(std::uint32_t& handle, std::int64_t begin, std::int64_t end) {
  Set& set = sets_[handle - 1];
  if (!set.tree && splits_hole(set.array, begin, end)) make_room_or_drop(set);
  std::size_t count;
  if (set.tree) {
    const std::size_t before = set.tree->count();
    set.tree->fill(begin, end);
    note_tree_growth(before, set.tree->count());
    if (over_limit(*set.tree)) drop_lowest(set);
    count = set.tree->count();
  } else {
    fill_holes(set.array, begin, end);
    count = set.array.count;
  }
  if (count == 0) release(handle);
}

void HoleStore::release(std::uint32_t& handle) {
  if (!handle) return;
  Set& set = sets_[handle - 1];
  if (set.tree) note_tree_growth(set.tree->count(), 0);
  set.tree.reset();
  if (set.array.capacity) free_array(set.array);
  set.array = {};
  free_handles_.push_back(handle);
  handle = 0;
}

void HoleStore::make_room_or_drop(Set& set) {
  if (!make_room(set)) drop_lowest(set);
}

void HoleStore::drop_lowest(Set& set) {
  ++dropped_;
  if (set.tree) {
    const std::size_t before = set.tree->count();
    set.tree->drop_lowest();
    note_tree_growth(before, before - 1);
  } else if (set.array.count) {
    move_holes(set.array, 1, 0);
  }
}

bool HoleStore::over_limit(const HoleTree& tree) const {
  return tree.count() > max_holes_per_flow_ || memory_ > memory_limit_;
}

bool HoleStore::make_room(Set& set) {
  if (set.tree) return set.tree->count() < max_holes_per_flow_ && memory_ + kTreeNodeBytes <= memory_limit_;
  if (set.array.count >= max_holes_per_flow_) return false;
  return set.array.count < set.array.capacity || grow_array(set);
}

bool HoleStore::grow_array(Set& set) {
  if (set.array.capacity == kSizes.back()) {
    if (memory_ + (set.array.count + 1) * kTreeNodeBytes > memory_limit_) return false;
    set.tree = std::make_unique<HoleTree>(set.array);
    note_tree_growth(0, set.tree->count());
    free_array(set.array);
    set.array = {};
    return true;
  }
  const unsigned size_class = set.array.capacity ? class_of(set.array.capacity) + 1 : 0;
  Hole* larger = take_array(size_class);
  if (!larger) return false;
  std::copy_n(set.array.hole, set.array.count, larger);
  if (set.array.capacity) free_array(set.array);
  set.array.hole = larger;
  set.array.capacity = kSizes[size_class];
  return true;
}

unsigned HoleStore::class_of(std::uint32_t capacity) {
  return static_cast<unsigned>(std::find(kSizes.begin(), kSizes.end(), capacity) - kSizes.begin());
}

Hole* HoleStore::take_array(unsigned size_class) {
  auto& free = free_arrays_[size_class];
  if (free.empty()) {
    if (memory_ + kSlabBytes > memory_limit_) return nullptr;
    memory_ += kSlabBytes;
    constexpr std::size_t kHoles = kSlabBytes / sizeof(Hole);
    slabs_.push_back(std::make_unique<Hole[]>(kHoles));
    for (std::size_t at = 0; at < kHoles; at += kSizes[size_class]) free.push_back(slabs_.back().get() + at);
  }
  Hole* array = free.back();
  free.pop_back();
  return array;
}

void HoleStore::free_array(const HoleArray& array) { free_arrays_[class_of(array.capacity)].push_back(array.hole); }

void HoleStore::note_tree_growth(std::size_t before, std::size_t after) {
  memory_ += after * kTreeNodeBytes;
  memory_ -= before * kTreeNodeBytes;
}

}  // namespace warpmeter
