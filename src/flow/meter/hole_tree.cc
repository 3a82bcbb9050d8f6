// Very many holes of one flow.
//
// The bytes that a receiver lacks are intervals, sorted, that neither overlap nor touch. A small flow keeps them in
// one array: to look is a binary search, to change moves what lies behind. With a million holes, as a capture that
// lost every second packet of a large transfer has, each change would move megabytes.
//
// The idea is that of a B+-tree with two levels. Holes lie in parts of at most 128; a sorted list has the begin and
// the place of each part. To find a hole is a binary search in the list and one in the part. A change moves at most
// the holes of a part. A part that is full and must take one more is split in the middle; one that is empty leaves the
// list; two neighbours that together fill no more than half a part become one, so that holes that are filled here and
// there give their memory back.
//
// Two levels are enough: a million holes are some ten thousand parts, and the list is only moved when a part comes or
// goes, which is once in some dozens of changes. More levels would cost every look a cache line, to speed up what is
// rare.
//
// Nearly all holes are added at the upper end, where data goes on; there a full part is not split, but followed by a
// new one, so that parts are full and not half full.
//
// What holds after each call: parts are not empty; `begin` of each is that of its first hole; holes are sorted over
// all parts; `count_` and `missing_in_all_` are the sums of what the parts hold.
#include "flow/meter/hole_tree.h"

#include <algorithm>

namespace warpmeter::inline flow {

HoleArrays::~HoleArrays() {
  for (void* slab : slabs_) memory_.deallocate(slab, kSlabBytes, alignof(Hole));
}

unsigned HoleArrays::class_for(std::uint32_t holes) {
  unsigned size_class = 0;
  while (kSizes[size_class] < holes) ++size_class;
  return size_class;
}

HoleArray HoleArrays::take(std::uint32_t holes) {
  const unsigned size_class = class_for(holes);
  auto& free = free_[size_class];
  if (free.empty()) {
    slabs_.push_back(nullptr);
    slabs_.back() = memory_.allocate(kSlabBytes, alignof(Hole));
    Hole* const slab = static_cast<Hole*>(slabs_.back());
    for (std::size_t at = kSlabBytes / sizeof(Hole); at > 0;) free.push_back(slab + (at -= kSizes[size_class]));
  }
  Hole* const hole = free.back();
  free.pop_back();
  return {hole, 0, kSizes[size_class]};
}

void HoleArrays::give_back(const HoleArray& array) { free_[class_for(array.capacity)].push_back(array.hole); }

namespace {

constexpr std::uint32_t kPart = HoleArrays::kLargest;

}  // namespace

HoleTree::HoleTree(HoleArrays& arrays, const HoleArray& holes) : arrays_(arrays) {
  for (std::uint32_t i = 0; i < holes.count; ++i) add_highest(holes.hole[i].begin, holes.hole[i].end);
}

HoleTree::~HoleTree() {
  for (const Part& part : parts_) arrays_.give_back(part.holes);
}

// The last part that begins at or before `number`; or the first one.
std::size_t HoleTree::part_of(std::int64_t number) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), number,
                                      [](std::int64_t n, const Part& part) { return n < part.begin; });
  return after == parts_.begin() ? 0 : static_cast<std::size_t>(after - parts_.begin()) - 1;
}

std::int64_t HoleTree::missing_between(std::int64_t begin, std::int64_t end) const {
  std::int64_t missing = 0;
  for (std::size_t i = part_of(begin); i < parts_.size() && parts_[i].begin < end; ++i)
    missing += warpmeter::missing_between(parts_[i].holes, begin, end);
  return missing;
}

// A part with one hole.
void HoleTree::insert_part(std::size_t at, std::int64_t begin, std::int64_t end) {
  HoleArray holes = arrays_.take(kPart);
  holes.hole[holes.count++] = {begin, end};
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(at), {begin, holes});
}

void HoleTree::add_highest(std::int64_t begin, std::int64_t end) {
  missing_in_all_ += end - begin;
  if (parts_.empty()) {
    insert_part(0, begin, end);
    ++count_;
    return;
  }
  HoleArray& last = parts_.back().holes;
  const bool touches = last.hole[last.count - 1].end == begin;
  if (touches || last.count < kPart) add_highest_hole(last, begin, end);
  else insert_part(parts_.size(), begin, end);
  count_ += touches ? 0 : 1;
}

void HoleTree::add_lowest(std::int64_t begin, std::int64_t end) {
  if (parts_.empty()) return add_highest(begin, end);
  missing_in_all_ += end - begin;
  Part& first = parts_.front();
  const bool touches = first.begin == end;
  if (touches || first.holes.count < kPart) {
    add_lowest_hole(first.holes, begin, end);
    first.begin = begin;
  } else {
    insert_part(0, begin, end);
  }
  count_ += touches ? 0 : 1;
}

// Makes two parts of a full one.
void HoleTree::split(std::size_t at) {
  HoleArray upper = arrays_.take(kPart);
  HoleArray& lower = parts_[at].holes;
  std::copy(lower.hole + kPart / 2, lower.hole + kPart, upper.hole);
  upper.count = kPart - kPart / 2;
  lower.count = kPart / 2;
  parts_.insert(parts_.begin() + static_cast<std::ptrdiff_t>(at) + 1, {upper.hole[0].begin, upper});
}

void HoleTree::erase_parts(std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) arrays_.give_back(parts_[i].holes);
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(first), parts_.begin() + static_cast<std::ptrdiff_t>(last));
}

// If both together fill no more than half a part.
void HoleTree::join_with_next(std::size_t at) {
  if (at + 1 >= parts_.size()) return;
  HoleArray& holes = parts_[at].holes;
  const HoleArray& next = parts_[at + 1].holes;
  if (holes.count + next.count > kPart / 2) return;
  std::copy(next.hole, next.hole + next.count, holes.hole + holes.count);
  holes.count += next.count;
  erase_parts(at + 1, at + 2);
}

void HoleTree::fill(std::int64_t begin, std::int64_t end) {
  if (parts_.empty()) return;
  std::size_t first = part_of(begin);
  if (parts_[first].holes.count == kPart && splits_hole(parts_[first].holes, begin, end)) {
    split(first);
    first = part_of(begin);
  }
  std::size_t emptied = first, last = first;  // parts first .. emptied-1 and last .. are not empty
  for (std::size_t i = first; i < parts_.size() && parts_[i].begin < end; ++i) {
    HoleArray& holes = parts_[i].holes;
    missing_in_all_ -= warpmeter::missing_between(holes, begin, end);
    count_ -= holes.count;
    fill_holes(holes, begin, end);
    count_ += holes.count;
    if (holes.count > 0) {
      parts_[i].begin = holes.hole[0].begin;
      if (last == emptied) emptied = last = i + 1;  // none is empty yet
    } else {
      last = i + 1;
    }
  }
  if (last > emptied) erase_parts(emptied, last);
  join_with_next(first);
  if (first > 0) join_with_next(first - 1);
}

void HoleTree::drop_lowest() {
  Part& part = parts_.front();
  missing_in_all_ -= part.holes.hole[0].end - part.holes.hole[0].begin;
  --count_;
  move_holes(part.holes, 1, 0);
  if (part.holes.count == 0) erase_parts(0, 1);
  else part.begin = part.holes.hole[0].begin;
}

}  // namespace warpmeter::inline flow
