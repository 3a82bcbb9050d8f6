// Drives one shard with packets in trace order, cut into batches of any size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/flow_hash.h"
#include "flow/meter/segment_line.h"
#include "flow/meter/shard.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {

struct ShardPacket {
  FlowKey key;
  Segment segment;
};

// Flow memory that gives one shard `bytes` for states and index.
inline std::uint64_t flow_memory_for(std::uint64_t bytes) { return bytes / 15 * 16 * kShards; }

inline MeterOptions meter_options(std::uint64_t flow_memory = std::uint64_t{1} << 30) {
  MeterOptions options;
  options.timeouts = {1000, 10'000};
  options.duplicates = {16, 50, 5};
  options.flow_memory = flow_memory;
  return options;
}

class ShardDriver {
 public:
  explicit ShardDriver(const MeterOptions& options, const HashSeed& seed = 12345) : seed_(seed) {
    shards_.push_back(std::make_unique<Shard>(options, seed));
    filters_.emplace_back(options.duplicates, seed);
  }

  // With `duplicate`, which of the packets are duplicates is known.
  void meter(const std::vector<ShardPacket>& packets, std::size_t batch_size = 8192,
             const std::vector<std::uint8_t>& duplicate = {}) {
    for (std::size_t at = 0; at < packets.size(); at += batch_size) {
      const std::size_t count = std::min(batch_size, packets.size() - at);
      SegmentBatch batch(static_cast<std::uint32_t>(count));
      batch.reset(next_number_);
      for (std::size_t i = 0; i < count; ++i) push(batch, packets[at + i], i);
      if (duplicate.empty()) meter_listed(shards_, filters_, 0, batch, listed(batch));
      else meter_with_duplicate_flags(shards_, 0, batch, listed(batch), std::span(duplicate).subspan(at, count));
      next_number_ += count;
    }
  }
  void packet(std::uint32_t flow, const Segment& segment) { meter({{numbered_key(flow), segment}}); }

  // So many packets are not this shard's.
  void skip(std::uint64_t packets) { next_number_ += packets; }

  // What has ended so far, and with drain() everything.
  const std::vector<Partial>& ended() { return shard().finished(); }
  const std::vector<Partial>& drain() { return drain(shard().latest_ns()); }
  const std::vector<Partial>& drain(std::int64_t trace_end_ns) {
    while (shard().drain(trace_end_ns, 3)) {
    }
    return shard().finished();
  }
  Shard& shard() { return *shards_.front(); }

 private:
  // All of them, whatever their keys say, for the one shard that there is.
  static std::vector<ListedSegment> listed(const SegmentBatch& batch) {
    std::vector<ListedSegment> all;
    for (std::uint32_t i = 0; i < batch.count; ++i) all.push_back({batch.hash[i], i, 0});
    return all;
  }

  void push(SegmentBatch& batch, const ShardPacket& packet, std::size_t frame) const {
    Segment segment = packet.segment;
    segment.frame = static_cast<std::uint32_t>(frame);
    batch.push(packet.key, hash_flow(packet.key, seed_), segment);
  }

  const HashSeed seed_;
  std::vector<std::unique_ptr<Shard>> shards_;  // one
  std::vector<DuplicateFilter> filters_;        // its own
  std::uint64_t next_number_ = 1;
};

}  // namespace warpmeter::test
