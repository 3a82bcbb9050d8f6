// Neighbouring shards that one worker coalesces at a time: the packets of each batch go to their Coalescers, and what
// these let go goes to the batch in whose packets it has its place.
//
// Threads: one at a time; settled() by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "command/coalesce/coalescing_batch.h"
#include "packet/write/capture_form.h"
#include "stream/coalescing/coalescer.h"

namespace warpmeter::inline command {

class CoalescingGroup {
 public:
  // Group `number` of `groups`, which share the shards. `options`: of one shard.
  CoalescingGroup(unsigned number, unsigned groups, const CoalescerOptions& options, CaptureForm form);

  // The next batch.
  void take(const CoalescingBatch& batch);

  // There are no more: all that waits leaves.
  void end();

  // Of batches that end before this packet it adds nothing more.
  std::uint64_t settled() const { return settled_.load(std::memory_order_acquire); }

  CoalescerCounters counters() const;

 private:
  void prefetch_ahead(const CoalescingBatch& batch, std::span<const std::uint32_t> listed) const;
  void take(const CoalescingBatch& batch, const CoalescingPacket& packet);
  void place_what_left();
  PendingBatch& batch_of(std::uint64_t place);
  void settle();

  const unsigned number_, first_shard_;
  const CaptureForm form_;
  std::vector<std::unique_ptr<Coalescer>> shards_;
  std::deque<std::shared_ptr<PendingBatch>> kept_;  // those that it may add to
  std::vector<CoalescedPacket> left_;               // the shards, and has no place yet
  std::uint64_t passed_ = 0;                        // bytes of the trace
  std::atomic<std::uint64_t> settled_ = 0;
};

}  // namespace warpmeter::inline command
