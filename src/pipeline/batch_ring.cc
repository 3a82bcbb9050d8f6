#include "pipeline/batch_ring.h"

#include <utility>

namespace warpmeter {

BatchRing::BatchRing(unsigned slots, std::uint32_t batch_capacity, std::pmr::memory_resource& memory,
                     unsigned under_way)
    : under_way_(under_way) {
  for (unsigned i = 0; i < slots; ++i) {
    slots_.push_back(std::make_unique<BatchSlot>(batch_capacity, memory));
    slots_.back()->block.frames.reserve(batch_capacity);
  }
}

std::optional<std::uint64_t> BatchRing::begin_read() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || ended_ || (!reading_ && read_ - released_ < slots_.size()); });
  if (failure_ || ended_) return std::nullopt;
  reading_ = true;
  return read_;
}

void BatchRing::frames_read(bool more) {
  const std::lock_guard lock(mutex_);
  reading_ = false;
  if (more) slot(read_++).decoded = false;
  else ended_ = true;
  changed_.notify_all();
}

void BatchRing::decoded(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).decoded = true;
  while (decoded_ < read_ && slot(decoded_).decoded) ++decoded_;
  changed_.notify_all();
}

bool BatchRing::wait_for_turn(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || batch == settled_; });
  return !failure_;
}

void BatchRing::settled(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  settled_ = batch + 1;
  changed_.notify_all();
}

bool BatchRing::wait_until_decoded(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return failure_ || (batch < decoded_ && batch - collected_ < under_way_) || (ended_ && batch >= read_);
  });
  return !failure_ && batch < decoded_;
}

void BatchRing::submitted(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  submitted_ = batch + 1;
  changed_.notify_all();
}

bool BatchRing::wait_until_submitted(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || batch < submitted_ || (ended_ && batch >= read_); });
  return !failure_ && batch < submitted_;
}

void BatchRing::collected(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  collected_ = batch + 1;
  changed_.notify_all();
}

void BatchRing::release(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  released_ = batch + 1;
  changed_.notify_all();
}

void BatchRing::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_all();
}

void BatchRing::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

DecodeCounters BatchRing::counters() const {
  DecodeCounters sum;
  for (const auto& slot : slots_) sum.add(slot->counters);
  return sum;
}

}  // namespace warpmeter
