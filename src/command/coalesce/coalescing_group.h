// Neighbouring shards that one worker coalesces at a time: the packets of each batch go to their Coalescers, and what
// these let go goes to the batch in whose packets it has its place. Behind them all one writes what no group adds to.
//
// What waits stays in its frames, and is written from there. Of batches that go too far back it is copied, so that only
// so many frames are held.
//
// Threads: each by one at a time, beside the others; settled() by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "command/coalesce/coalescing_batch.h"
#include "packet/write/capture_writer.h"
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
  // A batch whose frames may be needed.
  struct Recent {
    std::uint64_t first;  // number of its first packet
    FrameLeases leases;
  };

  void begin(const CoalescingBatch& batch);
  void prefetch_ahead(const CoalescingBatch& batch, std::span<const std::uint32_t> listed) const;
  void take(const CoalescingBatch& batch, const CoalescingPacket& packet);
  void place_what_left();
  void place(CoalescedPacket& packet);
  std::size_t kept_with(std::uint64_t place) const;
  void lease(std::size_t kept, std::uint64_t from);
  void settle();

  const unsigned number_, first_shard_;
  const CaptureForm form_;
  std::vector<std::unique_ptr<Coalescer>> shards_;
  std::deque<std::shared_ptr<PendingBatch>> kept_;  // those that it may add to
  std::deque<Recent> recent_;                       // those that its shards need frames of; both end with the latest
  std::vector<std::string> comments_;               // of one packet
  std::size_t usual_bytes_ = 0;                     // of a batch's records, as the latest had them
  std::vector<CoalescedPacket> left_;               // the shards, and has no place yet
  std::uint64_t passed_ = 0;                        // bytes of the trace
  std::atomic<std::uint64_t> settled_ = 0;
};

// Writes batches in their order, as soon as no group adds to them any more.
class SettledOutput {
 public:
  // What is referred to must outlive it.
  SettledOutput(CaptureWriter& writer, std::span<const std::unique_ptr<CoalescingGroup>> groups)
      : writer_(writer), groups_(groups) {}

  // The next batch, which is not null. Throws what the writer throws, as does the next.
  void take(std::shared_ptr<PendingBatch> batch);
  void write_settled();

  std::uint64_t packets() const { return packets_; }  // written so far

 private:
  struct Item {  // of a group
    std::uint32_t place;
    std::uint32_t record;
    PacketRecords* records;
  };

  void write(PendingBatch& batch);
  void list_items(PendingBatch& batch);

  CaptureWriter& writer_;
  const std::span<const std::unique_ptr<CoalescingGroup>> groups_;
  std::deque<std::shared_ptr<PendingBatch>> waiting_;
  std::vector<Item> items_;
  std::vector<std::uint32_t> item_begin_;  // by place
  std::uint64_t packets_ = 0;
};

}  // namespace warpmeter::inline command
