// The batches on their way to a device and back: a ring of slots, each of which goes from stage to stage. Several
// threads read and decode (one reads at a time), one submits, one collects; a stage waits for nothing but its own
// batch, and for the device to have room.
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

#include "pipeline/batch_slot.h"

namespace warpmeter {

class BatchRing {
 public:
  // `memory` is that of the batches' columns and must outlive the ring. At most `under_way` batches are submitted and
  // not yet collected.
  BatchRing(unsigned slots, std::uint32_t batch_capacity, std::pmr::memory_resource& memory, unsigned under_way);

  BatchSlot& slot(std::uint64_t batch) { return *slots_[batch % slots_.size()]; }

  // Readers. The batch to fill, or nothing when the trace has ended. Whoever got one calls frames_read(), and if there
  // were frames, then decoded().
  std::optional<std::uint64_t> begin_read();
  void frames_read(bool more);
  void decoded(std::uint64_t batch);

  // For readers of stretches, which are settled in trace order, between frames_read() and decoded(): waits until all
  // batches before this one are settled. False if the ring has failed.
  bool wait_for_turn(std::uint64_t batch);
  void settled(std::uint64_t batch);

  // The one who submits, and the one who collects. False when there is no such batch.
  bool wait_until_decoded(std::uint64_t batch);
  void submitted(std::uint64_t batch);
  bool wait_until_submitted(std::uint64_t batch);
  void collected(std::uint64_t batch);  // the device has room for another
  void release(std::uint64_t batch);    // the slot may be filled again

  // Ends all work; the first exception is kept and thrown by rethrow_failure().
  void fail(std::exception_ptr failure);
  void rethrow_failure();

  DecodeCounters counters() const;  // when nobody works any more

 private:
  std::vector<std::unique_ptr<BatchSlot>> slots_;
  const unsigned under_way_;
  std::mutex mutex_;  // of what follows, and of decoded in the slots
  std::condition_variable changed_;
  bool reading_ = false;
  std::uint64_t settled_ = 0;  // batches, if they are settled at all
  bool ended_ = false;
  // Each counts the batches that have passed a stage: read >= decoded >= submitted >= collected >= released.
  std::uint64_t read_ = 0, decoded_ = 0, submitted_ = 0, collected_ = 0, released_ = 0;
  std::exception_ptr failure_;
};

}  // namespace warpmeter
