#include "command/live/sample_follower.h"

#include <ctime>

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

}  // namespace warpmeter::inline command
