#include "command/live/live_streams.h"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "core/flow_hash.h"
#include "core/random_seed.h"
#include "stream/reassembly/stream_prefetch.h"

namespace warpmeter::inline command {
namespace {

constexpr std::uint32_t kBatchFrames = 1024;  // to begin with

// So often, by the time of packets, all connections are looked at, but so many at a time.
constexpr std::int64_t kLookEveryNs = 250'000'000;
constexpr std::size_t kLooks = 4096;

}  // namespace

LiveStreams::LiveStreams(const DetectorOptions& options, const DecodeOptions& decode, const std::atomic<bool>& gives_up)
    : timeout_ns_(options.streams.timeout_ns),
      decoder_(decode, random_hash_seed()),
      queue_(options.queue),
      feed_(options.socket, queue_, gives_up) {
  std::shared_ptr<SharedBuffers> shared;  // of the channel
  for (unsigned i = 0; i < kShards; ++i) {
    if (i % kShardsAChannel == 0) {
      shared = std::make_shared<SharedBuffers>(options.streams.block_size, memory_,
                                               most_free_of(options.streams, kChannels));
    }
    shards_.push_back(std::make_unique<Reassembler>(of_one_shard(options.streams), queue_, memory_, shared));
  }
}

LiveStreams::~LiveStreams() = default;

// Threads begin with different channels, so that they seldom meet.
LiveStreams::Tap::Tap(LiveStreams& streams, unsigned number)
    : streams_(streams), first_channel_(number * 5 % kChannels), batch_(kBatchFrames) {}

void LiveStreams::Tap::take(const FrameBlock& frames) {
  const std::uint64_t count = frames.frames.size();
  batch_.reset(streams_.next_number_.fetch_add(count, std::memory_order_relaxed));
  streams_.decoder_.append(frames, std::span(&batch_, 1), not_told_);
  batch_.list_by_shard();
  for (unsigned i = 0; i < kChannels; ++i) {
    const unsigned channel = (first_channel_ + i) % kChannels;
    const auto listed = batch_.of_shards(channel * kShardsAChannel, (channel + 1) * kShardsAChannel);
    if (listed.empty()) continue;
    const std::lock_guard lock(streams_.channels_[channel].mutex);
    reassemble(streams_.shards_, batch_, listed);
  }
  streams_.queue_.publish();
}

void LiveStreams::pass(std::int64_t passed_ns) {
  if (timeout_ns_ == 0 || passed_ns == FrameBlock::kNothingPassed) return;
  const std::unique_lock lock(idle_mutex_, std::try_to_lock);
  if (!lock) return;  // another one looks
  if (!more_idle_ && std::abs(passed_ns - looked_ns_) < kLookEveryNs) return;
  looked_ns_ = passed_ns;
  look_for_idle(passed_ns);
  queue_.publish();
}

void LiveStreams::look_for_idle(std::int64_t passed_ns) {
  more_idle_ = true;
  for (std::size_t looks = kLooks; looks > 0;) {
    const std::lock_guard lock(channels_[idle_shard_ / kShardsAChannel].mutex);
    if (!shards_[idle_shard_]->end_idle(passed_ns, looks)) return;
    idle_shard_ = (idle_shard_ + 1) % kShards;
    if (idle_shard_ > 0) continue;
    more_idle_ = false;
    return;
  }
}

void LiveStreams::end(std::int64_t passed_ns) {
  if (is_over_) return;
  is_over_ = true;
  feed_.begin_end([this, passed_ns] { return end_connections(passed_ns); });
}

std::uint64_t LiveStreams::end_connections(std::int64_t passed_ns) {
  std::int64_t latest_ns = passed_ns;
  for (const auto& shard : shards_) latest_ns = std::max(latest_ns, shard->latest_ns());
  std::uint64_t stray = 0;
  for (const auto& shard : shards_) {
    shard->end_all(latest_ns);
    stray += shard->counters().stray_segments;
  }
  return stray;
}

void LiveStreams::finish() { feed_.finish(); }

}  // namespace warpmeter::inline command
