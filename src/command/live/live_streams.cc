#include "command/live/live_streams.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "stream/reassembly/reassembler.h"

namespace warpmeter::inline command {
namespace {

// Of one owner alone, so many shards share buffers; of several, each has fewer.
constexpr unsigned kShardsSharing = 4;
constexpr std::uint32_t kBatchSegments = 1024;  // that others have handed over

// So often, by the time of packets, all connections are looked at, but so many at a time.
constexpr std::int64_t kLookEveryNs = 250'000'000;
constexpr std::size_t kLooks = 4096;

// As many in all as one owner would have, so that their memory is the same, but one each at least.
unsigned shards_of_each(unsigned owners) { return std::max(kShards / std::bit_ceil(owners), 1u); }

}  // namespace

StreamOwner::StreamOwner(const SharedStreams& shared, const ReassemblerOptions& options, unsigned owners,
                         unsigned number)
    : shared_(shared),
      number_(number),
      timeout_ns_(options.timeout_ns),
      incoming_(owners > 1 ? kBatchSegments : 0),
      pushed_(owners) {
  const unsigned shards = shards_of_each(owners);
  std::shared_ptr<SharedBuffers> buffers;
  for (unsigned i = 0; i < shards; ++i) {
    if (i % kShardsSharing == 0) {
      const unsigned sharing = owners * ((shards + kShardsSharing - 1) / kShardsSharing);
      buffers = std::make_shared<SharedBuffers>(options.block_size, shared.memory, most_free_of(options, sharing));
    }
    shards_.push_back(std::make_unique<Reassembler>(of_one_shard(options), shared.queue, shared.memory, buffers));
  }
}

void StreamOwner::take(PayloadBatch& payload, std::uint32_t first_frame, std::uint32_t frames, CoreExchange& others) {
  payload.first_number = shared_.next_number.fetch_add(frames, std::memory_order_relaxed) - first_frame;
  if (others.owners() > 1) give_to_owners(payload, others);
  reassemble_all(payload);
}

// A lost segment is one that its owner has no room for.
void StreamOwner::give_to_owners(PayloadBatch& payload, CoreExchange& others) {
  if (payload.count == 0) return;
  const FlowOwners::Claim claim = shared_.owners.claim_of(payload.segment[payload.count - 1].time_ns, number_);
  std::uint32_t own = 0;
  std::uint64_t lost = 0;
  for (std::uint32_t i = 0; i < payload.count; ++i) {
    const PayloadSegment& s = payload.segment[i];
    const unsigned owner = shared_.owners.owner_of(s.hash, claim);
    if (owner == number_) {
      payload.shard[own] = payload.shard[i];
      payload.segment[own++] = s;
    } else if (others.payload(number_, owner).push(s, payload.shard[i])) {
      pushed_[owner] = true;
    } else {
      ++lost;
    }
  }
  payload.count = own;
  for (unsigned to = 0; to < others.owners(); ++to) {
    if (pushed_[to]) others.publish(number_, to);
    pushed_[to] = false;
  }
  if (lost > 0) shared_.lost_segments.fetch_add(lost, std::memory_order_relaxed);
}

// What is there now, and no more than a queue can hold: it may be filled all the time. All of it, for connections end
// by the time that has passed for those who handed it over.
void StreamOwner::take_handed_over(CoreExchange& others) {
  for (unsigned from = 0; from < others.owners(); ++from) {
    if (from == number_) continue;
    PayloadQueue& queue = others.payload(from, number_);
    const std::size_t most = incoming_.capacity;
    for (std::size_t left = queue.most_segments(); left > 0 && !queue.is_empty(); left -= std::min(left, most)) {
      incoming_.reset(0);
      queue.front(incoming_);
      incoming_.first_number = shared_.next_number.fetch_add(incoming_.count, std::memory_order_relaxed);
      for (std::uint32_t i = 0; i < incoming_.count; ++i) incoming_.segment[i].frame = i;
      reassemble_all(incoming_);
      queue.pop();
    }
  }
}

void StreamOwner::reassemble_all(PayloadBatch& payload) {
  if (payload.count == 0) return;
  for (std::uint32_t i = 0; i < payload.count; ++i) {
    payload.shard[i] = static_cast<std::uint8_t>(share_of(payload.shard[i], shards_.size()));
  }
  reassemble(shards_, payload);
  shared_.queue.publish();
}

void StreamOwner::pass(std::int64_t watermark_ns) {
  if (timeout_ns_ == 0 || watermark_ns == FrameBlock::kNothingPassed) return;
  if (!more_idle_ && std::abs(watermark_ns - looked_ns_) < kLookEveryNs) return;
  looked_ns_ = watermark_ns;
  look_for_idle(watermark_ns);
  shared_.queue.publish();
}

void StreamOwner::look_for_idle(std::int64_t watermark_ns) {
  more_idle_ = true;
  for (std::size_t looks = kLooks; looks > 0;) {
    if (!shards_[idle_shard_]->end_idle(watermark_ns, looks)) return;
    idle_shard_ = (idle_shard_ + 1) % shards_.size();
    if (idle_shard_ > 0) continue;
    more_idle_ = false;
    return;
  }
}

std::int64_t StreamOwner::latest_ns() const {
  std::int64_t latest_ns = Reassembler::kNoTime;
  for (const auto& shard : shards_) latest_ns = std::max(latest_ns, shard->latest_ns());
  return latest_ns;
}

std::uint64_t StreamOwner::end_all(std::int64_t latest_ns) {
  std::uint64_t stray = 0;
  for (const auto& shard : shards_) {
    shard->end_all(latest_ns);
    stray += shard->counters().stray_segments;
  }
  return stray;
}

LiveStreams::LiveStreams(const DetectorOptions& options, unsigned owners, const std::atomic<bool>& gives_up)
    : queue_(options.queue),
      connection_owners_(options.streams.timeout_ns, FlowOwners::places_of(owners)),
      feed_(options.socket, queue_, gives_up) {
  const SharedStreams shared{queue_, memory_, connection_owners_, next_number_, lost_segments_};
  for (unsigned i = 0; i < owners; ++i) {
    owners_.push_back(std::make_unique<StreamOwner>(shared, options.streams, owners, i));
  }
}

LiveStreams::~LiveStreams() = default;

void LiveStreams::end(std::int64_t watermark_ns) {
  if (is_over_) return;
  is_over_ = true;
  feed_.begin_end([this, watermark_ns] { return end_connections(watermark_ns); });
}

std::uint64_t LiveStreams::end_connections(std::int64_t watermark_ns) {
  std::int64_t latest_ns = watermark_ns;
  for (const auto& owner : owners_) latest_ns = std::max(latest_ns, owner->latest_ns());
  std::uint64_t stray = 0;
  for (const auto& owner : owners_) stray += owner->end_all(latest_ns);
  return stray;
}

void LiveStreams::finish() { feed_.finish(); }

StreamFeedCounts LiveStreams::counts() const {
  StreamFeedCounts counts = queue_.counts();
  counts.lost_segments = lost_segments_.load(std::memory_order_relaxed);
  return counts;
}

}  // namespace warpmeter::inline command
