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
    DirectionDescriptor& found = numbered(index_[i].number);
    if (is_same(found.key, key)) return &found;
  }
  return nullptr;
}

DirectionDescriptor& DescriptorTable::add(const HashedKey& key, std::uint64_t hash) {
  if (2 * (size_ + 1) > index_.size()) grow();
  const std::uint32_t number = new_number();
  DirectionDescriptor& added = numbered(number);
  added.key = key;
  added.hash = hash;
  added.number = number;
  enter(number, hash);
  all_.append(number);
  ++size_;
  return added;
}

// Of one that is as if it had never been another.
std::uint32_t DescriptorTable::new_number() {
  if (!free_.empty()) {
    const std::uint32_t number = free_.back();
    free_.pop_back();
    numbered(number) = {};
    return number;
  }
  ++latest_;
  if (latest_ / kTogether == descriptors_.size())
    descriptors_.push_back(std::make_unique<DirectionDescriptor[]>(kTogether));
  all_.grow();
  waiting_.grow();
  return latest_;
}

// Those behind it move up, so that none is looked for past a gap.
void DescriptorTable::erase(DirectionDescriptor& descriptor) {
  std::size_t gap = entry_of(descriptor);
  for (std::size_t i = (gap + 1) & mask_; index_[i].number != kNone; i = (i + 1) & mask_) {
    const std::size_t home = numbered(index_[i].number).hash & mask_;
    if (((i - home) & mask_) < ((i - gap) & mask_)) continue;
    index_[gap] = index_[i];
    gap = i;
  }
  index_[gap] = {};
  all_.remove(descriptor.number);
  free_.push_back(descriptor.number);
  --size_;
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
    if (entry.number != kNone) enter(entry.number, numbered(entry.number).hash);
  }
}

}  // namespace warpmeter::inline stream
