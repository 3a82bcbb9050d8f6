// TCP segments with what they carry, for streams: a row a segment, of one cache line, that has nothing of what only the
// Metering Process needs. After list_by_shard() those of each shard are listed in arrival order.
//
// Threads: as SegmentBatch.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "core/byte_order.h"
#include "core/flow_hash.h"
#include "core/segment.h"
#include "core/unwritten_vector.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

struct alignas(64) PayloadSegment {
  std::uint64_t hash;  // of both ends, whichever of them sends: hash_ends4() or hash_ends6()
  union {
    std::uint64_t addresses4;        // IPv4: source and destination, as they lie in the header
    const std::uint8_t* addresses6;  // IPv6: the same 32 bytes, which stay as long as the frame
  };
  const std::uint8_t* data;  // what was captured of the payload, as long as the frame
  std::int64_t time_ns;
  std::uint32_t ports;  // source and destination, as they lie in the header
  std::uint32_t sequence, acknowledged;
  std::uint32_t payload_length;  // by the IP header
  std::uint32_t captured;        // of the payload, at most its length
  std::uint32_t frame;           // place in the batch, as of a Segment
  std::uint8_t flags;
  std::uint8_t version;    // of IP
  std::uint16_t in_frame;  // packets of its frame before it
};
static_assert(sizeof(PayloadSegment) == 64);

// A seeded hash of two ends, alike for both directions: each end is hashed by itself, through two layers of secret
// words, so that nobody can prepare ends whose sums are equal. The sum of an end and itself is even: that bit is turned
// to where neither places in tables nor tags are taken from.
inline constexpr int kTurned = 24;
inline std::uint64_t hash_end(Wide products, const HashSeed& seed) {
  return fold_multiply(low_half(products) ^ seed.word[4], high_half(products) ^ seed.word[5]);
}
inline std::uint64_t hash_ends4(std::uint64_t addresses, std::uint32_t ports, const HashSeed& seed) {
  const std::uint64_t* const w = seed.word;
  constexpr std::uint64_t kAddress = 0xffffffff;
  return std::rotr(hash_end(wide_product((addresses & kAddress) + w[0], (ports & 0xffff) + w[1]), seed) +
                       hash_end(wide_product((addresses >> 32) + w[0], (ports >> 16) + w[1]), seed),
                   kTurned);
}
inline std::uint64_t hash_ends6(const std::uint8_t* addresses, std::uint32_t ports, const HashSeed& seed) {
  const std::uint64_t* const w = seed.word;
  const auto end = [&](const std::uint8_t* address, std::uint32_t port) {
    return hash_end(wide_product(load<std::uint64_t>(address) + w[0], load<std::uint64_t>(address + 8) + w[1]) +
                        wide_product(port + w[2], w[3]),
                    seed);
  };
  return std::rotr(end(addresses, ports & 0xffff) + end(addresses + 16, ports >> 16), kTurned);
}
inline std::uint64_t hash_ends(const PayloadSegment& s, const HashSeed& seed) {
  return s.version == 4 ? hash_ends4(s.addresses4, s.ports, seed) : hash_ends6(s.addresses6, s.ports, seed);
}

// Without a VLAN id.
inline FlowKey flow_key(const PayloadSegment& s) {
  const std::uint64_t rest = s.ports | std::uint64_t{kProtocolTcp} << 32 | std::uint64_t{s.version} << 56;
  if (s.version == 4) return flow_key({s.addresses4 & 0xffffffff, 0, s.addresses4 >> 32, 0, rest});
  const auto word = [&](int i) { return load<std::uint64_t>(s.addresses6 + 8 * i); };
  return flow_key({word(0), word(1), word(2), word(3), rest});
}

class PayloadBatch {
 public:
  explicit PayloadBatch(std::uint32_t most) : capacity(most), segment(most), shard(most), listed_(most) {}

  // Starts over for frames numbered from `first`.
  void reset(std::uint64_t first) {
    first_number = first;
    frames = 0;
    count = 0;
  }

  // Grows the columns if they cannot take `more` segments beside those that they hold.
  void make_room(std::size_t more) {
    if (more <= capacity - count) return;
    capacity = static_cast<std::uint32_t>(std::max(count + more, std::size_t{capacity} + capacity / 4));
    segment.resize(capacity);
    shard.resize(capacity);
    listed_.resize(capacity);
  }

  // Lists the segments by shard (a stable counting sort); of_shards() is valid from here on.
  void list_by_shard() {
    shard_begin_.fill(0);
    for (std::uint32_t i = 0; i < count; ++i) ++shard_begin_[shard[i] + 1u];
    for (unsigned s = 0; s < kShards; ++s) shard_begin_[s + 1] += shard_begin_[s];
    auto next = shard_begin_;
    for (std::uint32_t i = 0; i < count; ++i) listed_[next[shard[i]]++] = i;
  }

  // Where the segments of shards first .. last-1 are, shard by shard, each in arrival order.
  std::span<const std::uint32_t> of_shards(unsigned first, unsigned last) const {
    return {listed_.data() + shard_begin_[first], listed_.data() + shard_begin_[last]};
  }

  std::uint64_t first_number = 0;  // packet number of frame 0
  std::uint32_t frames = 0;        // that were decoded, to segments or not
  std::uint32_t count = 0;         // segments
  std::uint32_t capacity;

  UnwrittenVector<PayloadSegment> segment;
  UnwrittenVector<std::uint8_t> shard;

 private:
  UnwrittenVector<std::uint32_t> listed_;
  std::array<std::uint32_t, kShards + 1> shard_begin_{};
};

// Appends segments to a batch for as long as it lives, as SegmentAppender does.
class PayloadAppender {
 public:
  explicit PayloadAppender(PayloadBatch& batch)
      : batch_(batch), segment_(batch.segment.data()), shard_(batch.shard.data()), count_(batch.count) {}
  ~PayloadAppender() { batch_.count = count_; }
  PayloadAppender(const PayloadAppender&) = delete;
  PayloadAppender& operator=(const PayloadAppender&) = delete;

  // For the caller to fill in. REQUIRES: room in the batch.
  PayloadSegment& push(unsigned shard) {
    shard_[count_] = static_cast<std::uint8_t>(shard);
    return segment_[count_++];
  }

 private:
  PayloadBatch& batch_;
  PayloadSegment* const segment_;
  std::uint8_t* const shard_;
  std::uint32_t count_;
};

}  // namespace warpmeter
