// What the owners of rings have in common: a queue for each pair of them, or two where streams are wanted too, how far
// each has come in time, and what wakes one that waits for packets while another has some for it.
//
// Threads: as said at each. Nobody waits here, and nothing is locked.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/files/descriptor.h"
#include "core/payload_batch.h"
#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

struct QueuedSegment {
  FlowKey key;
  std::uint32_t shard;
  std::uint64_t hash;
  Segment segment;
};

// Segments on their way from the ring where they arrived to the one that owns their flow: a ring buffer of one producer
// and one consumer, of fixed size, without locks. What the producer puts in is seen once it publishes, so that the two
// share a cache line once a batch and not once a segment.
//
// Threads: push(), publish() and has_room() by one, front() and pop() by one other, at the same time.
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

// TCP segments with their payload, on the same way: a circle of bytes of one producer and one consumer, of fixed size,
// without locks. The payload is copied, for its block goes back to its ring. As of a SegmentQueue, what is put in is
// seen once the producer publishes.
//
// Threads: push() and publish() by one, front() and pop() by one other, at the same time.
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

// Threads: the owners, each with its own number.
class CoreExchange {
 public:
  // Queues of `most` segments each; and, where streams are wanted, of so many bytes for payload. Throws Error.
  CoreExchange(unsigned owners, std::size_t most, std::size_t payload_bytes = 0);
  CoreExchange(const CoreExchange&) = delete;
  CoreExchange& operator=(const CoreExchange&) = delete;

  unsigned owners() const { return static_cast<unsigned>(places_.size()); }

  SegmentQueue& queue(unsigned from, unsigned to) { return *queues_[from * owners() + to]; }
  // REQUIRES: streams are wanted.
  PayloadQueue& payload(unsigned from, unsigned to) { return *payloads_[from * owners() + to]; }
  // What `from` has pushed for `to` can be seen, and `to` learns of it.
  void publish(unsigned from, unsigned to);
  bool has_some_for(unsigned to) const;

  // For poll(2): readable when `to` was waiting, and something came. What wakes it is a count that it reads away.
  int wake_fd(unsigned to) const { return places_[to]->wake.get(); }
  // Around a wait: between the two, publish() wakes. After the first it looks once more whether there is something.
  void begin_wait(unsigned to);
  void end_wait(unsigned to);

  // All that `from` read and that was captured before this time has been published.
  void has_passed(unsigned from, std::int64_t time_ns);
  // The same for all but `to`. Whoever takes all that is there for it after this call has it up to this time.
  std::int64_t passed_by_others(unsigned to) const;

  // `from` will publish no more.
  void end(unsigned from);
  bool all_ended() const { return going_ == 0; }

 private:
  struct alignas(64) Place {
    std::atomic<std::int64_t> watermark_ns;
    std::atomic<bool> waits = false;
    Descriptor wake;  // an eventfd
  };

  void wake(Place& place);

  std::vector<std::unique_ptr<Place>> places_;
  std::vector<std::unique_ptr<SegmentQueue>> queues_;    // by owner, then by owner: null from one to itself
  std::vector<std::unique_ptr<PayloadQueue>> payloads_;  // the same; empty: nobody wants streams
  std::atomic<unsigned> going_;
};

}  // namespace warpmeter::inline command
