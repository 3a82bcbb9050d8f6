// The frames of a source as batches of T, made by many threads and handed over in the order of the packets.
//
// T is whatever is made of frames: segments, segments for several devices, sums. Each slot has one, which is filled
// again and again. What a T must know:
//   void begin();                             forget all frames
//   void add(const FrameBlock& block);        the frames that follow; they stay as PacketSource::read() says
//   void finish(std::uint64_t first_number);  there are no more; the packet number of the first is known now
// begin() and add() may be called a second time, where a source had guessed wrong; finish() once, when all is certain.
//
// This alone knows slots, chunks and their order: what to do next the scheduler says, what the frames are the source.
//
// Of a source that waits for frames, batches of many chunks have a deadline. What they lie in is not kept until then:
// the worker that claims reads what there is whenever it would have to wait. If more is there than one worker can be
// expected to read while it comes, the batch ends, and somebody else claims while it is read.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "base/threads/in_threads.h"
#include "packet/file/packet_source.h"
#include "pipeline/batches/scheduler.h"

namespace warpmeter::inline pipeline {

struct BatchShape {
  unsigned workers = 1;
  unsigned slots = 1;      // batches in flight
  unsigned consumers = 0;  // that the workers act for; 0: a thread of its own consumes
  unsigned chunks = 1;     // in a batch
  ChunkOptions chunk = {};
  std::function<void(unsigned worker)> begin_worker = {};  // called by each before all else; empty: nothing
  // A batch ends so long after it was begun, also without frames; 0: when it is full, or with the source. REQUIRES: the
  // source never guesses wrong.
  std::chrono::nanoseconds deadline{0};
};

inline constexpr std::uint32_t kCachedFrames = 4096;  // a batch of so many stays in a core's cache

// Of such batches, which the workers read and decode beside consuming them.
inline BatchShape shape_of_cached_batches(unsigned threads, unsigned consumers) {
  return {.workers = threads,
          .slots = 2 * threads + 1,
          .consumers = consumers,
          .chunks = 1,
          .chunk = {.frames = kCachedFrames}};
}

template <class T>
class OrderedBatches {
 public:
  // `make()` makes the T of a slot. The source must outlive this.
  template <class Make>
  OrderedBatches(PacketSource& source, const BatchShape& shape, const Make& make)
      : source_(source), shape_(shape), scheduler_(shape.slots, shape.workers, shape.consumers) {
    for (unsigned i = 0; i < shape.slots; ++i) slots_.push_back(std::make_unique<Slot>(make()));
    for (const auto& slot : slots_) {
      for (unsigned i = 0; i < shape.chunks; ++i) slot->chunks.push_back(source_.make_chunk());
    }
  }

  T& operator[](std::uint64_t batch) { return slot(batch).value; }

  // Reads all there is with as many threads as there are workers. `consume(consumer, first, last)` is called with
  // batches first .. last-1, for each consumer in order and by one thread at a time. Throws what a thread threw. May be
  // called again where a source goes on behind its end; batches are numbered on.
  template <class Consume>
  void run(const Consume& consume) {
    scheduler_.go_on();
    in_threads(
        shape_.workers,
        [&](unsigned worker) {
          if (shape_.begin_worker) shape_.begin_worker(worker);
          work(worker, consume);
        },
        [&] { scheduler_.fail(std::current_exception()); });
    scheduler_.rethrow_failure();
  }

  // What one worker does, until there is nothing more.
  template <class Consume>
  void work(unsigned worker, const Consume& consume) {
    FileView view;
    for (Task task = scheduler_.next(worker); task.kind != Task::Kind::none; task = scheduler_.next(worker, task)) {
      switch (task.kind) {
        case Task::Kind::read: claim_and_read(slot(task.first), view); break;
        case Task::Kind::commit: commit(task.first, view); break;
        default: consume(task.consumer, task.first, task.last);
      }
    }
  }

  // Without consumers: the workers, and the thread that consumes. See Scheduler.
  void work(unsigned worker) {
    work(worker, [](unsigned, std::uint64_t, std::uint64_t) {});
  }
  bool wait_for(std::uint64_t batch) { return scheduler_.wait_for(batch); }
  void release(std::uint64_t batch) { scheduler_.release(batch); }
  void fail(std::exception_ptr failure) { scheduler_.fail(std::move(failure)); }
  void rethrow_failure() { scheduler_.rethrow_failure(); }

  // As of the source. REQUIRES: it has ended.
  std::int64_t watermark_ns() const { return source_.watermark_ns(); }

  // What the source has taken, added up over all threads.
  std::chrono::nanoseconds reading_time() const { return std::chrono::nanoseconds(reading_ns_.load()); }

 private:
  struct Slot {
    explicit Slot(T&& made) : value(std::move(made)) {}
    T value;
    std::vector<std::unique_ptr<Chunk>> chunks;
    std::size_t claimed = 0;  // chunks that are part of this batch
    std::size_t read = 0;     // of these
    std::uint64_t frames = 0;
    bool time_passed = false;  // while nothing came
  };
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kWorthAWorker = 4;  // chunks that wait to be read

  Slot& slot(std::uint64_t batch) { return *slots_[scheduler_.slot_of(batch)]; }

  template <class Function>
  bool timed(const Function& function) {
    const auto start = std::chrono::steady_clock::now();
    const bool result = function();
    const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - start;
    reading_ns_.fetch_add(time.count(), std::memory_order_relaxed);
    return result;
  }

  void claim_and_read(Slot& slot, FileView& view) {
    if (shape_.deadline.count() > 0) return claim_in_time(slot, view);
    const bool more = timed([&] { return claim(slot); });
    scheduler_.claimed(more);
    if (more) read(slot, view);
  }

  void claim_in_time(Slot& slot, FileView& view) {
    const auto end = Clock::now() + shape_.deadline;
    slot.value.begin();
    slot.claimed = slot.read = 0;
    slot.frames = 0;
    slot.time_passed = false;
    fill(slot, view, end);
    if (slot.claimed == 0 && slot.time_passed) slot.claimed = slot.read = 1;  // an empty chunk
    scheduler_.claimed(slot.claimed > 0);
    read_claimed(slot, view);
  }

  void fill(Slot& slot, FileView& view, Clock::time_point end) {
    const std::uint64_t enough = std::uint64_t{shape_.chunks} * shape_.chunk.frames;
    do {
      Chunk& chunk = *slot.chunks[slot.claimed];
      const std::size_t waiting = slot.claimed - slot.read;
      chunk.clear();
      if (!timed([&] { return source_.claim(chunk, waiting ? without_waiting() : waiting_until(end)); })) return;
      if (!chunk.is_empty()) {
        ++slot.claimed;
      } else if (waiting >= kWorthAWorker && shape_.workers > 1) {
        break;
      } else {
        read_claimed(slot, view);
        read(slot, chunk, view);
        slot.time_passed = true;
      }
    } while (slot.claimed < slot.chunks.size() && slot.frames < enough && Clock::now() < end);
  }

  ChunkOptions without_waiting() const {
    ChunkOptions options = shape_.chunk;
    options.longest_wait = {};
    return options;
  }
  // Not at all would be a busy loop.
  ChunkOptions waiting_until(Clock::time_point end) const {
    ChunkOptions options = shape_.chunk;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    options.longest_wait = std::clamp(left, std::chrono::milliseconds(1), options.longest_wait);
    return options;
  }

  void read_claimed(Slot& slot, FileView& view) {
    for (; slot.read < slot.claimed; ++slot.read) {
      Chunk& chunk = *slot.chunks[slot.read];
      read(slot, chunk, view);
      chunk.block.leases.clear();  // nobody asks for the bytes again
    }
  }

  bool claim(Slot& slot) {
    const std::uint64_t enough = std::uint64_t{shape_.chunks} * shape_.chunk.frames;
    std::uint64_t expected = 0;
    for (slot.claimed = 0; slot.claimed < slot.chunks.size() && expected < enough; ++slot.claimed) {
      Chunk& chunk = *slot.chunks[slot.claimed];
      chunk.clear();
      if (!source_.claim(chunk, shape_.chunk)) break;
      expected += chunk.expected;
    }
    return slot.claimed > 0;
  }

  void read(Slot& slot, FileView& view) {
    slot.value.begin();
    for (std::size_t i = 0; i < slot.claimed; ++i) read(slot, *slot.chunks[i], view);
  }

  void read(Slot& slot, Chunk& chunk, FileView& view) {
    while (timed([&] { return source_.read(chunk, view); })) {
      slot.frames += chunk.block.frames.size();
      slot.value.add(chunk.block);
    }
  }

  void commit(std::uint64_t batch, FileView& view) {
    Slot& slot = this->slot(batch);
    const bool right = timed([&] {
      bool all = true;
      for (std::size_t i = 0; i < slot.claimed; ++i) all = source_.commit(*slot.chunks[i], view) && all;
      return all;
    });
    scheduler_.committed(batch);
    if (!right) read(slot, view);
    for (std::size_t i = 0; i < slot.claimed; ++i) slot.chunks[i]->block.clear();  // batches wait, bytes need not
    slot.value.finish(slot.chunks.front()->first_number);
  }

  const ChunkReader source_;
  const BatchShape shape_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<std::int64_t> reading_ns_ = 0;
};

}  // namespace warpmeter::inline pipeline
