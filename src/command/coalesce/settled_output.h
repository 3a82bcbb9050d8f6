// Writes batches in their order, as soon as no group adds to them any more.
//
// Threads: one at a time, beside those of the groups.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "command/coalesce/coalescing_batch.h"
#include "command/coalesce/coalescing_group.h"
#include "packet/write/capture_writer.h"

namespace warpmeter::inline command {

class SettledOutput {
 public:
  // What is referred to must outlive it.
  SettledOutput(CaptureWriter& writer, std::span<const std::unique_ptr<CoalescingGroup>> groups)
      : writer_(writer), groups_(groups) {}

  // The next batch. Throws what the writer throws, as does the next.
  void take(std::shared_ptr<PendingBatch> batch) { waiting_.push_back(std::move(batch)); }
  void write_settled();

  std::uint64_t packets() const { return packets_; }  // written so far

 private:
  struct Item {  // of a group
    std::uint64_t place;
    std::uint32_t order;
    const CoalescedPacket* coalesced;  // null: a repeated packet
    PacketRecords* records;
    std::size_t record;
  };

  void write(PendingBatch& batch);
  void list_items(PendingBatch& batch);
  void write(const Item& item);

  CaptureWriter& writer_;
  const std::span<const std::unique_ptr<CoalescingGroup>> groups_;
  std::deque<std::shared_ptr<PendingBatch>> waiting_;
  std::vector<Item> items_;
  std::uint64_t packets_ = 0;
};

}  // namespace warpmeter::inline command
