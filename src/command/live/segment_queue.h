// Segments on their way from the ring where they arrived to the one that owns their flow: a ring buffer of one producer
// and one consumer, of fixed size, without locks. What the producer puts in is seen once it publishes, so that the two
// share a cache line once a batch and not once a segment.
//
// Threads: push(), publish() and has_room() by one, front() and pop() by one other, at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

struct QueuedSegment {
  FlowKey key;
  std::uint32_t shard;
  std::uint64_t hash;
  Segment segment;
};

class SegmentQueue {
 public:
  // Room for at least `most` segments.
  explicit SegmentQueue(std::size_t most) : places_(std::bit_ceil(std::max<std::size_t>(most, 1))) {}

  std::size_t capacity() const { return places_.size(); }

  bool has_room() {
    if (end_ - begin_seen_ < places_.size()) return true;
    begin_seen_ = begin_.load(std::memory_order_acquire);
    return end_ - begin_seen_ < places_.size();
  }
  // False: it is full.
  bool push(const QueuedSegment& segment) {
    if (!has_room()) return false;
    places_[end_++ & (places_.size() - 1)] = segment;
    return true;
  }
  // All that was pushed can be seen now: is_empty() says so to whoever asks later, as all threads agree on what is
  // later.
  void publish() { published_.store(end_, std::memory_order_seq_cst); }

  // The next of them, as many as lie behind each other; none if there are none. They stay until pop().
  std::span<const QueuedSegment> front() const {
    const std::uint64_t begin = begin_.load(std::memory_order_relaxed);
    const std::size_t at = begin & (places_.size() - 1);
    const std::uint64_t count = published_.load(std::memory_order_acquire) - begin;
    return {places_.data() + at, std::min<std::size_t>(count, places_.size() - at)};
  }
  void pop(std::size_t count) {
    begin_.store(begin_.load(std::memory_order_relaxed) + count, std::memory_order_release);
  }
  bool is_empty() const { return published_.load(std::memory_order_seq_cst) == begin_.load(std::memory_order_relaxed); }

 private:
  std::vector<QueuedSegment> places_;
  // Each side has a cache line.
  alignas(64) std::uint64_t end_ = 0;  // the producer's own
  std::uint64_t begin_seen_ = 0;       // the same, as it was when it was last asked for
  alignas(64) std::atomic<std::uint64_t> published_ = 0;
  alignas(64) std::atomic<std::uint64_t> begin_ = 0;
};

}  // namespace warpmeter::inline command
