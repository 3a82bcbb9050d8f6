#include "command/live/live_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/program/messages.h"
#include "record/write/record_output.h"

namespace warpmeter::inline command {
namespace {

// States to look at between two batches, but a shard at the least: a millisecond or so.
constexpr std::size_t kStatesABatch = 8192;

}  // namespace

SampleFollower::SampleFollower(SampleRate& rate, unsigned owner, const DecodeOptions& options,
                               const HashSeed& hash_seed)
    : rate_(rate), owner_(owner), hash_seed_(hash_seed), options_(options) {
  decoder_.emplace(options_, hash_seed_);
}

bool SampleFollower::take_up() {
  const std::uint32_t one_in = rate_.one_in();
  if (one_in != options_.sample.one_in) {
    next_shard_ = one_in > options_.sample.one_in ? 0 : kShards;  // of a sample that has more flows none has left
    options_.sample.one_in = one_in;
    decoder_.emplace(options_, hash_seed_);
    is_settled_ = false;
    rate_.take_up();
  }
  return !is_settled_ && rate_.all_took_it_up();
}

bool SampleFollower::end_flows(const std::vector<std::unique_ptr<Shard>>& shards) {
  for (std::size_t looks = 0; next_shard_ < kShards && looks < kStatesABatch; ++next_shard_) {
    looks += shards[next_shard_]->numbers();
    shards[next_shard_]->end_flows_outside(options_.sample);
  }
  return next_shard_ == kShards;
}

void SampleFollower::settle() {
  is_settled_ = true;
  rate_.settle();
}

void SampleFollower::tell_cpu_time() {
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return;
  rate_.worked(owner_, std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec);
}

// Losses that sampling helps against: frames that are too long, and queues that nobody takes, are none.
void LiveSampling::look(std::span<const RingCounts> rings) {
  SampleControl::Look look{.now = SampleControl::Clock::now()};
  for (const RingCounts& ring : rings) {
    look.lost += ring.ring_full + ring.hand_over_full;
    look.fill = std::max(look.fill, ring.fill.value_or(0));
  }
  look.busy = busiest(look.now);
  look.settled = rate_.is_settled();
  if (const std::uint32_t one_in = control_.look(look); one_in != rate_.one_in()) change(one_in);
}

double LiveSampling::busiest(SampleControl::Clock::time_point now) {
  const std::chrono::duration<double, std::nano> passed = now - looked_;
  const bool is_first = worked_ns_.empty();
  std::int64_t most = 0;
  worked_ns_.resize(rate_.owners());
  for (unsigned owner = 0; owner < rate_.owners(); ++owner) {
    const std::int64_t worked = rate_.worked(owner);
    most = std::max(most, worked - worked_ns_[owner]);
    worked_ns_[owner] = worked;
  }
  looked_ = now;
  return is_first ? 0 : static_cast<double>(most) / passed.count();
}

void LiveSampling::change(std::uint32_t one_in) {
  const bool is_rarer = one_in > rate_.one_in();
  const std::int64_t now_ns = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  rate_.change(one_in);
  {
    const std::lock_guard lock(mutex_);
    if (changes_.size() == kChangesKept) changes_.erase(changes_.begin());
    changes_.push_back({now_ns, one_in});
  }
  warn(fmt::format("{}: 1/{} of the flows is metered from now on (--sample-flows auto)",
                   is_rarer ? "metering does not keep up" : "metering keeps up", one_in));
}

// An export that began when all had settled has the Flow Records of all that left.
void LiveSampling::between_exports(RecordOutput& output, bool at_end) {
  if (at_end) return;  // what follows would be no record of a later rate
  if (to_tell_ != told_) output.tell_sample(told_ = to_tell_);
  const std::uint32_t one_in = rate_.one_in();
  if (rate_.is_settled()) to_tell_ = one_in;
}

std::vector<SampleChange> LiveSampling::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

}  // namespace warpmeter::inline command
