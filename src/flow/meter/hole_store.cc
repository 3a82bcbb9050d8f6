#include "flow/meter/hole_store.h"

#include <algorithm>

namespace warpmeter::inline flow {
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
  make_room(set);
  if (set.tree) add_to_tree(*set.tree);
  else add_to_array(set.array);
  drop_beyond_limit(set);
}

void HoleStore::fill(std::uint32_t& handle, std::int64_t begin, std::int64_t end) {
  Set& set = sets_[handle - 1];
  if (!set.tree && splits_hole(set.array, begin, end)) make_room(set);
  if (set.tree) set.tree->fill(begin, end);
  else fill_holes(set.array, begin, end);
  drop_beyond_limit(set);
  if (set.count() == 0) release(handle);
}

void HoleStore::release(std::uint32_t& handle) {
  if (!handle) return;
  Set& set = sets_[handle - 1];
  set.tree.reset();
  if (set.array.capacity) arrays_.give_back(set.array);
  set.array = {};
  free_handles_.push_back(handle);
  handle = 0;
}

void HoleStore::drop_beyond_limit(Set& set) {
  if (set.count() <= max_holes_per_flow_) return;
  ++dropped_;
  if (set.tree) set.tree->drop_lowest();
  else move_holes(set.array, 1, 0);
}

void HoleStore::make_room(Set& set) {
  if (set.tree || set.array.count < set.array.capacity) return;
  const HoleArray old = set.array;
  if (old.capacity == HoleArrays::kLargest) {
    set.tree = std::make_unique<HoleTree>(arrays_, old);
    set.array = {};
  } else {
    HoleArray larger = arrays_.take(old.count + 1);
    std::copy_n(old.hole, old.count, larger.hole);
    larger.count = old.count;
    set.array = larger;
  }
  if (old.capacity) arrays_.give_back(old);
}

}  // namespace warpmeter::inline flow
