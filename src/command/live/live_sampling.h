// The sample of flows of a live capture that may become rarer while metering does not keep up (--sample-flows auto).
//
// Threads: as said at each.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "command/live/load_control.h"
#include "core/flow_sample.h"
#include "core/thread_annotations.h"
#include "flow/meter/shard.h"
#include "packet/decode/decoder.h"
#include "packet/nic/ring/ring_counts.h"

namespace warpmeter::inline record {
class RecordOutput;
}  // namespace warpmeter::inline record

namespace warpmeter::inline command {

// What whoever decides the rate and the owners of rings, who meter by it, tell each other. A change is wanted first;
// then each owner takes it up, from when on it reads no packet by the sample before; when all have, and what they had
// handed over is metered, each ends the flows that are in the sample no more. Then it is settled, and the next one may
// come.
//
// Threads: change() by one; what owners tell, by each of them; the rest by any. Nobody waits.
class SampleRate {
 public:
  SampleRate(std::uint32_t one_in, unsigned owners)
      : owners_(owners), cpu_ns_(std::make_unique<CpuTime[]>(owners)), one_in_(one_in) {}

  // One flow of so many is metered.
  std::uint32_t one_in() const { return one_in_.load(std::memory_order_acquire); }

  // REQUIRES: is_settled().
  void change(std::uint32_t one_in) {
    to_take_up_.store(owners_, std::memory_order_relaxed);
    to_settle_.store(owners_, std::memory_order_relaxed);
    one_in_.store(one_in, std::memory_order_release);
  }

  // Owners, once each for a change: it has published the last packet that it read by the sample before.
  void take_up() { to_take_up_.fetch_sub(1, std::memory_order_acq_rel); }
  bool all_took_it_up() const { return to_take_up_.load(std::memory_order_acquire) == 0; }
  // It has given away what it had of flows that left.
  void settle() { to_settle_.fetch_sub(1, std::memory_order_acq_rel); }
  bool is_settled() const { return to_settle_.load(std::memory_order_acquire) == 0; }

  // The CPU time that the thread of an owner has taken so far.
  unsigned owners() const { return owners_; }
  void worked(unsigned owner, std::int64_t ns) { cpu_ns_[owner].ns.store(ns, std::memory_order_relaxed); }
  std::int64_t worked(unsigned owner) const { return cpu_ns_[owner].ns.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) CpuTime {
    std::atomic<std::int64_t> ns = 0;
  };

  const unsigned owners_;
  const std::unique_ptr<CpuTime[]> cpu_ns_;
  std::atomic<std::uint32_t> one_in_;
  std::atomic<unsigned> to_take_up_ = 0, to_settle_ = 0;  // owners that have still to do so
};

// An owner's part in a change: it decodes by the new sample, and ends its flows that are in it no more, some shards
// between two batches, so that its rings need not wait for long.
//
// Threads: the owner's.
class SampleFollower {
 public:
  // What is referred to must outlive it.
  SampleFollower(SampleRate& rate, unsigned owner, const DecodeOptions& options, const HashSeed& hash_seed);

  // Of the sample that was taken up last.
  const Decoder& decoder() const { return *decoder_; }

  // Takes up the sample that is wanted, if that has changed. REQUIRES: all that was decoded before is metered, or
  // published. True: all owners have, so that flows may end once what they handed over before this call is metered.
  bool take_up();

  // After that: ends flows of some more shards. True: these were the last, and settle() is due when their partials have
  // been given away.
  bool end_flows(const std::vector<std::unique_ptr<Shard>>& shards);
  void settle();

  // What the owner's thread has worked.
  void tell_cpu_time();

 private:
  SampleRate& rate_;
  const unsigned owner_;
  const HashSeed& hash_seed_;
  DecodeOptions options_;
  std::optional<Decoder> decoder_;
  bool is_settled_ = true;
  unsigned next_shard_ = 0;
};

// Looks how the rings do, decides, and tells everybody: those who meter, the log, the collector, the summary.
class LiveSampling {
 public:
  // The summary has the latest of them.
  static constexpr std::size_t kChangesKept = 1000;

  // At most so rare, among so many owners of rings.
  LiveSampling(std::uint32_t rarest, unsigned owners) : control_(rarest), rate_(1, owners) {}

  SampleRate& rate() { return rate_; }

  // Some times a second, from one thread.
  void look(std::span<const RingCounts> rings);

  // Between two exports, from the thread that does them: the collector gets to know a rate once the Flow Records of
  // flows that left have been exported. `at_end`: the last time.
  void between_exports(RecordOutput& output, bool at_end);

  // From any thread.
  std::uint32_t one_in() const { return rate_.one_in(); }
  std::vector<SampleChange> changes() const;

 private:
  double busiest(SampleControl::Clock::time_point now);
  void change(std::uint32_t one_in);

  SampleControl control_;
  SampleRate rate_;
  std::vector<std::int64_t> worked_ns_;  // by owner, at the last look
  SampleControl::Clock::time_point looked_{};
  std::uint32_t told_ = 1, to_tell_ = 1;  // the collector
  mutable std::mutex mutex_;
  std::vector<SampleChange> changes_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
