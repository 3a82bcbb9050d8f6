// A device that meters nothing and takes as long as a GPU would: what the pipeline around it does with the time shows
// on machines without one.
//
// Its calls sleep. Whoever submits sleeps as long as its calls of streams take, whoever collects until the batch would
// be through and the host awake. A batch is copied beside the one before, and computed behind it. Memory for batches
// costs what pinned memory does, and while some is got nobody's calls go on, as with a driver.
//
// Times may be stretched, all by one factor: so many more threads that decode can be played by the cores that there
// are.
#pragma once

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/device_meter.h"
#include "core/thread_annotations.h"

namespace warpmeter::bench {

using Seconds = std::chrono::duration<double>;
using SteadyTime = std::chrono::time_point<std::chrono::steady_clock, Seconds>;

inline SteadyTime steady_now() { return std::chrono::steady_clock::now(); }

// Sleeps to the microsecond, not to the 50 that the kernel adds otherwise.
inline void sleep_until(SteadyTime time) {
  thread_local const int set = prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
  if (set == 0 && time > steady_now()) std::this_thread::sleep_until(time);
}

// In seconds, stretched already.
struct NullDeviceTimes {
  double submit = 0;            // calls of the host, a batch
  double compute = 0;           // on the device, a batch, and for each packet more
  double compute_packet = 0;    //
  double copy_byte = 0;         // to the device
  double awake = 0;             // behind the end of a batch, until the host goes on
  double collect = 0;           // copies of what came of it
  double pinned_byte = 0;       // got
  double pinned_byte_free = 0;  // given back
};

// What pinned memory a run took.
struct PinnedCounts {
  std::uint64_t allocations = 0, bytes = 0;  // before it began
  std::uint64_t grown = 0, grown_bytes = 0;  // later
  double blocked = 0;                        // seconds in which calls could not go on for that
};

class PinnedMemoryPlayed : public std::pmr::memory_resource {
 public:
  explicit PinnedMemoryPlayed(const NullDeviceTimes& times) : times_(times) {}

  void begin_run() {
    const std::lock_guard lock(mutex_);
    running_ = true;
  }
  // Waits until nobody gets memory.
  void pass() { const std::lock_guard lock(driver_); }
  PinnedCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    take(bytes, times_.pinned_byte, true);
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    take(bytes, times_.pinned_byte_free, false);
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  // Before the run, and for what it needs at its end, nobody waits.
  void take(std::size_t bytes, double a_byte, bool got) {
    {
      const std::lock_guard lock(mutex_);
      if (got) ++(running_ ? counts_.grown : counts_.allocations);
      if (got) (running_ ? counts_.grown_bytes : counts_.bytes) += bytes;
      if (!running_) return;
      counts_.blocked += a_byte * static_cast<double>(bytes);
    }
    const std::lock_guard lock(driver_);
    sleep_until(steady_now() + Seconds(a_byte * static_cast<double>(bytes)));
  }

  const NullDeviceTimes& times_;
  std::mutex driver_;
  mutable std::mutex mutex_;
  bool running_ WARPMETER_GUARDED_BY(mutex_) = false;
  PinnedCounts counts_ WARPMETER_GUARDED_BY(mutex_);
};

// In seconds, of the run; outlives the device.
struct NullDeviceCounts {
  std::uint64_t batches = 0;           // with packets
  std::uint64_t rests = 0, empty = 0;  // more submissions: of batches that are too large for one, without packets
  std::uint64_t packets = 0;
  std::uint64_t bytes_in = 0;
  double submitting = 0;   // in submit()
  double full = 0;         // between submissions, while as many are in flight as may be
  double starved = 0;      // between submissions, with room for one more
  double collecting = 0;   // in collect(), behind the end of the batch
  double waiting = 0;      // in collect(), for that
  double device_busy = 0;  // computing
  double held = 0;         // of all batches, from the end of their copy until they were collected
  unsigned most_in_flight = 0;
  PinnedCounts pinned;
};

class NullDevice : public DeviceMeter {
 public:
  NullDevice(const NullDeviceTimes& times, NullDeviceCounts& counts)
      : times_(times), memory_(times_), counts_(counts) {}

  // All that is to be made beforehand is made: from here on memory costs what it costs.
  void begin_run() { memory_.begin_run(); }

  std::string name() const override { return "null device"; }
  std::uint64_t block() const override { return std::numeric_limits<std::uint32_t>::max(); }
  std::pmr::memory_resource& batch_memory() override { return memory_; }

  void submit(const SegmentSpan& batch) override {
    const SteadyTime begin = steady_now();
    note_wait(begin);
    memory_.pass();
    const SteadyTime end = std::max(begin, steady_now()) + Seconds(times_.submit);
    sleep_until(end);
    memory_.pass();  // nor does the last call go on
    add(batch, begin, steady_now());
  }
  void expire(std::int64_t) override { submit({}); }

  void collect(Result& result) override {
    const SteadyTime begin = steady_now();
    const Submitted first = oldest();
    sleep_until(first.end + Seconds(times_.awake));
    const SteadyTime through = steady_now();
    sleep_until(through + Seconds(times_.collect));
    clear(result);
    const std::lock_guard lock(mutex_);
    in_flight_.pop_front();
    const SteadyTime end = steady_now();
    counts_.waiting += std::max(0.0, (through - begin).count());
    counts_.collecting += (end - through).count();
    counts_.held += (end - first.copied).count();
    if (in_flight_.size() + 1 == kMostInFlight) room_since_ = end;
  }

  std::int64_t latest_ns() override { return std::numeric_limits<std::int64_t>::min(); }
  bool drain(std::int64_t, std::vector<Partial>& ended) override {
    ended.clear();
    counts_.pinned = memory_.counts();
    return false;
  }
  std::uint64_t flows() override { return 0; }
  std::array<double, kDeviceStages> stage_seconds() const override { return {}; }

 private:
  struct Submitted {
    SteadyTime copied, end;
  };

  static void clear(Result& result) {
    result.finished.clear();
    result.handed_over.clear();
    result.overflow.clear();
    result.duplicate.clear();
    result.idle_left = result.jumps = 0;
  }

  Submitted oldest() {
    const std::lock_guard lock(mutex_);
    return in_flight_.front();
  }

  // Since the last submission.
  void note_wait(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    if (returned_ == SteadyTime()) return;
    const SteadyTime room = std::clamp(room_since_, returned_, now);
    counts_.full += (room - returned_).count();
    counts_.starved += (now - room).count();
  }

  void add(const SegmentSpan& batch, SteadyTime begin, SteadyTime now) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t bytes = batch.count * sizeof(PackedSegment) + batch.word_count * sizeof(std::uint64_t);
    copied_ = std::max(copied_, begin) + Seconds(times_.copy_byte * static_cast<double>(bytes));
    const SteadyTime start = std::max(computed_, copied_);
    const double work = times_.compute + times_.compute_packet * batch.count;
    computed_ = std::max(start + Seconds(work), now);
    in_flight_.push_back({copied_, computed_});
    counts_.device_busy += work;
    counts_.submitting += (now - begin).count();
    ++(batch.count == 0 ? counts_.empty : batch.first_number == last_number_ ? counts_.rests : counts_.batches);
    if (batch.count) last_number_ = batch.first_number;
    counts_.packets += batch.count;
    counts_.bytes_in += bytes;
    counts_.most_in_flight = std::max(counts_.most_in_flight, static_cast<unsigned>(in_flight_.size()));
    returned_ = now;
  }

  const NullDeviceTimes times_;
  PinnedMemoryPlayed memory_;
  std::mutex mutex_;
  NullDeviceCounts& counts_ WARPMETER_GUARDED_BY(mutex_);
  std::deque<Submitted> in_flight_ WARPMETER_GUARDED_BY(mutex_);
  SteadyTime copied_, computed_, returned_, room_since_;
  std::uint64_t last_number_ = 0;
};

}  // namespace warpmeter::bench
