// A SegmentBatch: the unit that goes through the pipeline and to a meter on the CPU. Columns of equal length, allocated
// once (or seldom: make_room()), written no further than segments come, and filled again and again; after
// list_by_shard() the segments of each shard are listed in arrival order.
//
// Threads: written by one decode task, then read by any number of meter tasks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/flow_hash.h"
#include "core/segment.h"
#include "core/unwritten_vector.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

// A segment in a list, with what is wanted of it long before the rest.
struct ListedSegment {
  std::uint64_t hash;
  std::uint32_t at;  // in the columns
  std::uint32_t shard;
};

class SegmentBatch {
 public:
  explicit SegmentBatch(std::uint32_t most)
      : capacity(most), key(most), hash(most), segment(most), shard(most), listed(most) {}

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
    key.resize(capacity);
    hash.resize(capacity);
    segment.resize(capacity);
    shard.resize(capacity);
    listed.resize(capacity);
  }

  // Appends one segment, for the caller to fill in. REQUIRES: count < capacity.
  struct Place {
    FlowKey& key;
    Segment& segment;
  };
  Place push(const FlowHash& h) {
    hash[count] = h.hash;
    shard[count] = static_cast<std::uint8_t>(h.shard);
    const std::uint32_t at = count++;
    return {key[at], segment[at]};
  }

  // Appends one segment. REQUIRES: count < capacity.
  void push(const FlowKey& k, const FlowHash& h, const Segment& s) {
    const Place place = push(h);
    place.key = k;
    place.segment = s;
  }

  // A segment that is in no list.
  void leave_out(std::uint32_t at) { shard[at] = kShards; }

  // Lists the segments by shard (a stable counting sort); of_shards() is valid from here on.
  void list_by_shard() {
    shard_begin.fill(0);
    for (std::uint32_t i = 0; i < count; ++i) ++shard_begin[shard[i] + 1u];
    for (unsigned s = 0; s < kShards; ++s) shard_begin[s + 1] += shard_begin[s];
    std::array<std::uint32_t, kShards + 1> next;
    for (unsigned s = 0; s <= kShards; ++s) next[s] = shard_begin[s];
    for (std::uint32_t i = 0; i < count; ++i) listed[next[shard[i]]++] = {hash[i], i, shard[i]};
  }

  // The segments of shards first .. last-1, shard by shard, each in arrival order.
  std::span<const ListedSegment> of_shards(unsigned first, unsigned last) const {
    return {listed.data() + shard_begin[first], listed.data() + shard_begin[last]};
  }

  std::uint64_t first_number = 0;  // packet number of frame 0
  unsigned number_bits = 0;        // below a packet's number, of where it was observed (observed_points.h)
  std::uint32_t frames = 0;        // that were decoded, to segments or not
  std::uint32_t count = 0;         // segments
  std::uint32_t capacity;

  UnwrittenVector<FlowKey> key;
  UnwrittenVector<std::uint64_t> hash;
  UnwrittenVector<Segment> segment;
  UnwrittenVector<std::uint8_t> shard;

 private:
  UnwrittenVector<ListedSegment> listed;
  std::array<std::uint32_t, kShards + 2> shard_begin{};  // behind the shards, those that are left out
};

// Appends segments to a batch for as long as it lives; nobody else may meanwhile. It does so without asking the batch
// every time where its columns lie, which after a store to any of them the compiler cannot know.
class SegmentAppender {
 public:
  explicit SegmentAppender(SegmentBatch& batch)
      : batch_(batch),
        key_(batch.key.data()),
        hash_(batch.hash.data()),
        segment_(batch.segment.data()),
        shard_(batch.shard.data()),
        count_(batch.count) {}
  ~SegmentAppender() { batch_.count = count_; }
  SegmentAppender(const SegmentAppender&) = delete;
  SegmentAppender& operator=(const SegmentAppender&) = delete;

  // For the caller to fill in. REQUIRES: room in the batch.
  SegmentBatch::Place push(const FlowHash& h) {
    hash_[count_] = h.hash;
    shard_[count_] = static_cast<std::uint8_t>(h.shard);
    const std::uint32_t at = count_++;
    return {key_[at], segment_[at]};
  }

 private:
  SegmentBatch& batch_;
  FlowKey* const key_;
  std::uint64_t* const hash_;
  Segment* const segment_;
  std::uint8_t* const shard_;
  std::uint32_t count_;
};

}  // namespace warpmeter
