#include "extract/batch_ring.h"

#include <utility>

namespace warpmeter {

BatchRing::BatchRing(unsigned slots, std::uint32_t batch_capacity,
                     const std::vector<std::pmr::memory_resource*>& memories) {
  for (unsigned i = 0; i < slots; ++i) slots_.push_back(std::make_unique<DeviceBatchSlot>(batch_capacity, memories));
}

std::optional<std::uint64_t> BatchRing::begin_read() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || ended_ || (!claiming_ && claimed_ - released_ < slots_.size()); });
  if (failure_ || ended_) return std::nullopt;
  claiming_ = true;
  return claimed_;
}

void BatchRing::claimed(bool more) {
  const std::lock_guard lock(mutex_);
  claiming_ = false;
  if (more) slot(claimed_++).decoded = false;
  else ended_ = true;
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

void BatchRing::decoded(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).decoded = true;
  while (decoded_ < claimed_ && slot(decoded_).decoded) ++decoded_;
  changed_.notify_all();
}

bool BatchRing::wait_until_decoded(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || batch < decoded_ || (ended_ && batch >= claimed_); });
  return !failure_ && batch < decoded_;
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
