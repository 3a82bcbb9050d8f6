#include "stream/coalescing/descriptor_table.h"

#include <utility>

namespace warpmeter::inline stream {
namespace {

constexpr std::size_t kFirstIndex = 64;

bool is_same(const HashedKey& a, const HashedKey& b) {
  return ((a.source_high ^ b.source_high) | (a.source_low ^ b.source_low) | (a.destination_high ^ b.destination_high) |
          (a.destination_low ^ b.destination_low) | (a.rest ^ b.rest)) == 0;
}

std::uint32_t mark_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

DescriptorTable::DescriptorTable() : index_(kFirstIndex), mask_(kFirstIndex - 1) {}

DirectionDescriptor* DescriptorTable::find(const HashedKey& key, std::uint64_t hash) {
  for (std::size_t i = hash & mask_; index_[i].number != kNone; i = (i + 1) & mask_) {
    if (index_[i].mark != mark_of(hash)) continue;
    DirectionDescriptor& found = descriptors_[index_[i].number];
    if (is_same(found.key, key)) return &found;
  }
  return nullptr;
}

DirectionDescriptor& DescriptorTable::add(const HashedKey& key, std::uint64_t hash) {
  if (2 * (size_ + 1) > index_.size()) grow();
  std::uint32_t number = static_cast<std::uint32_t>(descriptors_.size());
  if (free_.empty()) {
    descriptors_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
    descriptors_[number] = {};
  }
  DirectionDescriptor& added = descriptors_[number];
  added.key = key;
  added.hash = hash;
  added.number = number;
  enter(number, hash);
  append(all_, &DirectionDescriptor::of_all, added);
  ++size_;
  return added;
}

// Those behind it move up, so that none is looked for past a gap.
void DescriptorTable::erase(DirectionDescriptor& descriptor) {
  std::size_t gap = entry_of(descriptor);
  for (std::size_t i = (gap + 1) & mask_; index_[i].number != kNone; i = (i + 1) & mask_) {
    const std::size_t home = descriptors_[index_[i].number].hash & mask_;
    if (((i - home) & mask_) < ((i - gap) & mask_)) continue;
    index_[gap] = index_[i];
    gap = i;
  }
  index_[gap] = {};
  remove(all_, &DirectionDescriptor::of_all, descriptor);
  free_.push_back(descriptor.number);
  --size_;
}

void DescriptorTable::touch(DirectionDescriptor& descriptor) {
  if (all_.newest == descriptor.number) return;
  remove(all_, &DirectionDescriptor::of_all, descriptor);
  append(all_, &DirectionDescriptor::of_all, descriptor);
}

void DescriptorTable::waits(DirectionDescriptor& descriptor) {
  if (waiting_.newest == descriptor.number) return;
  if (descriptor.of_waiting.is_linked) waits_no_more(descriptor);
  append(waiting_, &DirectionDescriptor::of_waiting, descriptor);
}

void DescriptorTable::waits_no_more(DirectionDescriptor& descriptor) {
  remove(waiting_, &DirectionDescriptor::of_waiting, descriptor);
}

void DescriptorTable::append(Order& order, Place place, DirectionDescriptor& descriptor) {
  descriptor.*place = {order.newest, kNone, true};
  if (order.newest == kNone) order.oldest = descriptor.number;
  else (descriptors_[order.newest].*place).newer = descriptor.number;
  order.newest = descriptor.number;
}

void DescriptorTable::remove(Order& order, Place place, DirectionDescriptor& descriptor) {
  const DirectionDescriptor::Neighbours beside = descriptor.*place;
  (beside.older == kNone ? order.oldest : (descriptors_[beside.older].*place).newer) = beside.newer;
  (beside.newer == kNone ? order.newest : (descriptors_[beside.newer].*place).older) = beside.older;
  (descriptor.*place).is_linked = false;
}

// REQUIRES: it is there.
std::size_t DescriptorTable::entry_of(const DirectionDescriptor& descriptor) const {
  std::size_t i = descriptor.hash & mask_;
  while (index_[i].number != descriptor.number) i = (i + 1) & mask_;
  return i;
}

void DescriptorTable::enter(std::uint32_t number, std::uint64_t hash) {
  std::size_t i = hash & mask_;
  while (index_[i].number != kNone) i = (i + 1) & mask_;
  index_[i] = {number, mark_of(hash)};
}

void DescriptorTable::grow() {
  const std::vector<Entry> before = std::exchange(index_, std::vector<Entry>(2 * index_.size()));
  mask_ = index_.size() - 1;
  for (const Entry& entry : before) {
    if (entry.number != kNone) enter(entry.number, descriptors_[entry.number].hash);
  }
}

}  // namespace warpmeter::inline stream
