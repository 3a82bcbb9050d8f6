// The batches on their way to the devices: a ring of slots, each of which goes from stage to stage. Several threads
// claim, decode and settle batches, one submits them, and when all that was submitted of a batch is through, the slot
// is released.
//
// Batches are numbered from 0; all waits end early when the ring has failed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <vector>

#include "extract/device_batch_slot.h"

namespace warpmeter {

class BatchRing {
 public:
  // `memories` are those of the devices' segments and must outlive the ring.
  BatchRing(unsigned slots, std::uint32_t batch_capacity, const std::vector<std::pmr::memory_resource*>& memories);

  DeviceBatchSlot& slot(std::uint64_t batch) { return *slots_[batch % slots_.size()]; }

  // Readers. The batch to claim, or nothing when the trace has ended. Whoever got one calls claimed(); and if there was
  // something to claim, wait_for_turn(), settled() and decoded(). One reader at a time is between begin_read() and
  // claimed(), and one between wait_for_turn() and settled(), in the order of the batches.
  std::optional<std::uint64_t> begin_read();
  void claimed(bool more);
  bool wait_for_turn(std::uint64_t batch);  // false: the ring has failed
  void settled(std::uint64_t batch);
  void decoded(std::uint64_t batch);

  // The one who submits. False when there is no such batch.
  bool wait_until_decoded(std::uint64_t batch);
  void release(std::uint64_t batch);  // the slot may be filled again

  // Ends all work; the first exception is kept and thrown by rethrow_failure().
  void fail(std::exception_ptr failure);
  void rethrow_failure();

  DecodeCounters counters() const;  // when nobody works any more

 private:
  std::vector<std::unique_ptr<DeviceBatchSlot>> slots_;
  std::mutex mutex_;  // of what follows, and of decoded in the slots
  std::condition_variable changed_;
  bool claiming_ = false;
  bool ended_ = false;
  // Each counts the batches that have passed a stage: claimed >= settled >= decoded >= released.
  std::uint64_t claimed_ = 0, settled_ = 0, decoded_ = 0, released_ = 0;
  std::exception_ptr failure_;
};

}  // namespace warpmeter
