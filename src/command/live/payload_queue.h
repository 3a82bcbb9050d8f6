// TCP segments with their payload, on their way from the ring where they arrived to the owner of their connection: a
// circle of bytes of one producer and one consumer, of fixed size, without locks. The payload is copied, for its block
// goes back to its ring. As of a SegmentQueue, what is put in is seen once the producer publishes.
//
// Threads: push() and publish() by one, take() by one other, at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "core/payload_batch.h"

namespace warpmeter::inline command {

class PayloadQueue {
 public:
  // Bytes; at least the largest segment with what belongs to it.
  static constexpr std::size_t kLeast = 256 << 10;

  explicit PayloadQueue(std::size_t bytes)
      : size_(std::max(bytes, kLeast)), bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size_)) {}

  // That it can hold.
  std::size_t most_segments() const { return size_ / sizeof(Head); }

  // False: there is no room.
  bool push(const PayloadSegment& segment, std::uint8_t shard) {
    const std::size_t addresses = segment.version == 6 ? kAddresses6 : 0;
    const Head head{segment, static_cast<std::uint32_t>(rounded(sizeof(Head) + addresses + segment.captured)), shard};
    std::size_t at = end_ % size_;
    const std::size_t skipped = size_ - at < head.bytes ? size_ - at : 0;
    if (!has_room(skipped + head.bytes)) return false;
    if (skipped > 0) {
      if (skipped >= sizeof(Head)) put(at, Head{{}, kSkipped, 0});
      end_ += skipped;
      at = 0;
    }
    put(at, head);
    if (addresses) std::memcpy(&bytes_[at + sizeof head], segment.addresses6, addresses);
    if (segment.captured) std::memcpy(&bytes_[at + sizeof head + addresses], segment.data, segment.captured);
    end_ += head.bytes;
    return true;
  }
  void publish() { published_.store(end_, std::memory_order_seq_cst); }
  bool is_empty() const { return published_.load(std::memory_order_seq_cst) == begin_.load(std::memory_order_relaxed); }

  // Appends what was published to `batch`, as long as it has room; it stays where it is until pop().
  void front(PayloadBatch& batch) {
    taken_ = begin_.load(std::memory_order_relaxed);
    const std::uint64_t published = published_.load(std::memory_order_acquire);
    PayloadAppender appender(batch);
    for (std::uint32_t room = batch.capacity - batch.count; taken_ != published && room > 0;) {
      const std::size_t at = taken_ % size_, left = size_ - at;
      Head head;
      if (left >= sizeof head) std::memcpy(&head, &bytes_[at], sizeof head);
      if (left < sizeof head || head.bytes == kSkipped) {
        taken_ += left;
        continue;
      }
      const std::size_t addresses = head.segment.version == 6 ? kAddresses6 : 0;
      PayloadSegment& s = appender.push(head.shard);
      s = head.segment;
      s.data = &bytes_[at + sizeof head + addresses];
      if (addresses) s.addresses6 = &bytes_[at + sizeof head];
      taken_ += head.bytes;
      --room;
    }
  }
  // What front() gave is done with.
  void pop() { begin_.store(taken_, std::memory_order_release); }

 private:
  static constexpr std::size_t kAddresses6 = 32;
  static constexpr std::uint32_t kSkipped = 0;  // bytes of none: up to the end of the circle
  struct Head {
    PayloadSegment segment;
    std::uint32_t bytes;  // with all that belongs to it
    std::uint8_t shard;
  };

  static std::size_t rounded(std::size_t bytes) { return (bytes + 7) & ~std::size_t{7}; }
  void put(std::size_t at, const Head& head) { std::memcpy(&bytes_[at], &head, sizeof head); }
  bool has_room(std::size_t bytes) {
    if (end_ + bytes - begin_seen_ <= size_) return true;
    begin_seen_ = begin_.load(std::memory_order_acquire);
    return end_ + bytes - begin_seen_ <= size_;
  }

  const std::size_t size_;
  const std::unique_ptr<std::uint8_t[]> bytes_;  // not written before it is needed
  // Each side has a cache line.
  alignas(64) std::uint64_t end_ = 0;  // the producer's own
  std::uint64_t begin_seen_ = 0;       // the same, as it was when it was last asked for
  alignas(64) std::atomic<std::uint64_t> published_ = 0;
  alignas(64) std::atomic<std::uint64_t> begin_ = 0;
  std::uint64_t taken_ = 0;  // the consumer's own
};

}  // namespace warpmeter::inline command
