// Who does what next. Every worker thread asks the board for a task: to read and decode the next batch, to settle one
// (make sure of its frames and number them), or to meter the batches that are ready for one group of shards. Batches
// are claimed one at a time, then read and decoded side by side, and settled one at a time in trace order; a group
// belongs to one thread at a time and sees its batches in trace order. Batches in flight are bounded: who gets ahead,
// meters.
//
// There are no fixed roles because the load is not fixed either: reading is most of the work for long frames, metering
// for short ones. But a worker has groups of its own, whose flows stay in its core's cache; others' groups it meters
// only when it would have to wait. The board's one lock is taken a few times a batch, never for a packet.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "extract/batch_slot.h"
#include "warpmeter/flow_hash.h"

namespace warpmeter {

inline constexpr unsigned kGroups = 16;
inline constexpr unsigned kShardsPerGroup = kShards / kGroups;

struct Task {
  enum class Kind { read, settle, meter, none };
  Kind kind = Kind::none;
  std::uint64_t first = 0;  // batch to read or settle; first batch to meter
  std::uint64_t last = 0;   // one past the last batch to meter
  unsigned group = 0;
};

class TaskBoard {
 public:
  TaskBoard(unsigned slots, std::uint32_t batch_capacity, unsigned workers = 1);

  // Waits for something that `worker` (0 .. workers - 1) can do. Kind::none: there will be nothing more.
  Task next(unsigned worker = 0);
  BatchSlot& slot(std::uint64_t batch) { return *slots_[batch % slots_.size()]; }

  // A read task takes two steps: the batch is claimed (somebody else may claim the next), then walked and decoded.
  void claimed(bool more);  // more = false: the trace has ended, there is no such batch
  void walked(std::uint64_t batch);
  // So does a settle task: the batch is settled (somebody else may settle the next), then its segments are right.
  void settled(std::uint64_t batch);
  void decoded(std::uint64_t batch);
  void metered(const Task& task);

  // Ends all work; the first exception is kept and thrown by rethrow_failure().
  void fail(std::exception_ptr failure);
  void rethrow_failure();

 private:
  bool may_settle();
  bool find_meter_task(unsigned worker, bool own, Task& task);
  bool may_read() const;
  bool all_done() const;

  const unsigned workers_;
  std::vector<std::unique_ptr<BatchSlot>> slots_;
  std::mutex mutex_;  // of what follows, and of groups_left, walked and decoded in the slots
  std::condition_variable changed_;
  std::uint64_t next_read_ = 0;    // the next batch to read
  std::uint64_t next_settle_ = 0;  // the next batch to settle
  std::uint64_t ready_until_ = 0;  // all batches before it are settled and decoded
  std::uint64_t oldest_ = 0;       // the oldest batch that some group has yet to meter
  std::array<std::uint64_t, kGroups> next_of_group_{};
  std::array<bool, kGroups> group_busy_{};
  bool claiming_ = false;
  bool settling_ = false;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace warpmeter
