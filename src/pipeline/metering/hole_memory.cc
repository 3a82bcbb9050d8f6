#include "pipeline/metering/hole_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "core/flow_hash.h"

namespace warpmeter::inline pipeline {

std::uint64_t hole_memory_of(const MeterOptions& options) {
  constexpr std::uint64_t kLeastOfShard = 64 << 10;
  return std::max(options.flow_memory / kHoleShare, kShards * kLeastOfShard);
}

HoleMemory::~HoleMemory() {
  for (void* region : mapped_) {
    if (region) munmap(region, kRegion);
  }
}

void* HoleMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(mutex_);
  if (used_ + bytes <= limit_) {
    used_ += bytes;
    return memory_.allocate(bytes, alignment);
  }
  if (!free_ || !std::align(alignment, bytes, free_, room_)) {
    if (!file_) file_.emplace(tmpdir_);
    mapped_.push_back(nullptr);
    free_ = file_->map(kRegion, (mapped_.size() - 1) * kRegion);
    mapped_.back() = free_;
    room_ = kRegion;
  }
  void* const place = free_;
  free_ = static_cast<char*>(free_) + bytes;
  room_ -= bytes;
  return place;
}

}  // namespace warpmeter::inline pipeline
