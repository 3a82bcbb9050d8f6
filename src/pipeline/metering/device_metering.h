// The Metering Process on devices, in the four stages of the source paper, each with threads of its own: read, filter
// and decode; copy in and compute; copy out; sort and write. Several devices share the flows by their shards, each with
// tables of its own. What they leave to the CPU is metered here: flows that find no room, and flows with more holes
// than a device keeps. InFlight is between the second and the third, a ChunkQueue between the last two.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/device_meter.h"
#include "core/thread_annotations.h"
#include "flow/runs/run_store.h"
#include "flow/runs/sorted_runs.h"
#include "packet/decode/decoder.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/cpu_fallback.h"
#include "pipeline/metering/metering_process.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline pipeline {

// Neighbouring segments of what one device has of a batch; or none, and the idle flows leave, or the device has nothing
// to do.
struct Piece {
  bool is_for_device() const { return begin < end || watermark_ns != FrameBlock::kNothingPassed; }

  std::uint64_t batch;
  unsigned device;
  std::uint32_t begin, end;
  bool last;                                               // of the batch, over all devices
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;  // else: those idle at this time
};

// What is in flight on the devices: pieces of batches, submitted by one thread and collected by another in the same
// order. A device takes a few pieces at a time. What a device has nothing to do for goes past it, to be done in order.
//
// Threads: one submits, one collects. All waits end early after fail().
class InFlight {
 public:
  InFlight(unsigned devices, unsigned most_of_each) : on_device_(devices), most_(most_of_each) {}

  // The one who submits. False: something has failed.
  bool wait_for_room(unsigned device) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || on_device_[device] < most_; });
    return !failed_;
  }
  bool wait_until_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || pieces_.empty(); });
    return !failed_;
  }
  void submitted(const Piece& piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(piece);
    on_device_[piece.device] += piece.is_for_device();
    changed_.notify_all();
  }
  // No more will come.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // The one who collects: the next piece, or nothing when there will be no more; then tells that it is collected, if it
  // is for the device (which has room again), and done.
  std::optional<Piece> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || closed_ || !pieces_.empty(); });
    if (failed_ || pieces_.empty()) return std::nullopt;
    return pieces_.front();
  }
  void collected(const Piece& piece) {
    const std::lock_guard lock(mutex_);
    --on_device_[piece.device];
    changed_.notify_all();
  }
  void done() {
    const std::lock_guard lock(mutex_);
    pieces_.pop_front();
    changed_.notify_all();
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_ WARPMETER_GUARDED_BY(mutex_);  // not done yet
  std::vector<unsigned> on_device_ WARPMETER_GUARDED_BY(mutex_);
  const unsigned most_;
  bool closed_ WARPMETER_GUARDED_BY(mutex_) = false;
  bool failed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

// Chunks of partials between the thread that copies them from a device and those that sort and write them.
class ChunkQueue {
 public:
  // Waits while the queue is full. What is pushed after close() is dropped.
  void push(PartialChunk chunk) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || chunks_.size() < kMost; });
    if (closed_) return;
    chunks_.push_back(std::move(chunk));
    changed_.notify_all();
  }

  // Nothing when the queue is closed and empty.
  std::optional<PartialChunk> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !chunks_.empty(); });
    if (chunks_.empty()) return std::nullopt;
    PartialChunk chunk = std::move(chunks_.front());
    chunks_.pop_front();
    changed_.notify_all();
    return chunk;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PartialChunk> chunks_ WARPMETER_GUARDED_BY(mutex_);
  bool closed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

class DeviceMetering : public MeteringProcess {
 public:
  using Devices = std::vector<std::unique_ptr<DeviceMeter>>;

  // What is referred to must outlive it. `hash_seed` is the one that all devices were made with; their memory blocks
  // are of one size.
  DeviceMetering(const MeteringOptions& options, Devices devices, const HashSeed& hash_seed, PacketSource& source,
                 RunStore& runs, StageClock& clock);

  ~DeviceMetering() override;

  void run() override;    // also throws DeviceError
  void drain() override;  // also throws DeviceError
  std::uint64_t block() const override { return options_.meter.five_tuple.block; }

 private:
  using StageFunction = void (DeviceMetering::*)();
  void fail();
  void read_and_decode();
  void submit();
  bool submit_batch(std::uint64_t batch);
  bool submit_pieces(std::uint64_t batch, unsigned device);
  bool submit_piece(const Piece& piece);
  bool expire_idle(unsigned device, std::int64_t watermark_ns);
  bool expire(unsigned device, std::int64_t watermark_ns);
  std::uint32_t end_of_piece(const PackedBatch& batch, std::uint32_t begin) const;
  bool take_again(unsigned device);
  void collect();
  void collect_from_device(const Piece& piece, DeviceMeter::Result& result);
  void take_result(const Piece& piece, DeviceMeter::Result& result);
  void sort_and_write();
  void pass_on(std::span<const Partial> partials);
  void add_partials(PartialChunk partials);
  void drain_device(DeviceMeter& device, std::int64_t trace_end_ns, bool stay);
  void add_stage_times();

  const Devices devices_;
  const MeteringOptions options_;  // with the devices' memory block
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  OrderedBatches<DecodedBatch<PackedBatch>> batches_;
  InFlight in_flight_;
  ChunkQueue chunks_;
  CpuFallback fallback_;
  std::vector<std::uint64_t> next_try_;   // a device: pieces that must have been submitted before it is looked at again
  std::uint64_t submitted_ = 0;           // pieces
  std::vector<std::int64_t> expired_ns_;  // a device: when idle flows were told to leave last
  std::vector<std::atomic<bool>> idle_left_;  // a device: some are left
  std::atomic<unsigned> readers_ = 0;
};

}  // namespace warpmeter::inline pipeline
