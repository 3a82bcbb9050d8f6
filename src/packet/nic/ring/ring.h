// A live ring: blocks that a kernel, a driver or another process fills with frames, in memory that is mapped into this
// process. Nothing is copied on the way, and a block goes back when the last that looks at it lets go.
//
// What rings have in common that a kernel fills through a socket is at the end: how late its blocks come, and how they
// are shut. packet_ring.h is one over AF_PACKET; tests/packet/nic/ring/fake_ring.h is the shortest.
//
// Threads: one at a time; update_counts() and take_error() by one more, beside it. Leases may be let go from any
// thread, and outlive the ring. `counts()` may be asked from any thread, also beside the others: what a ring counts are
// relaxed atomics, exact once it is drained.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "packet/nic/ring/ring_counts.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// What lies in a block, in the order of arrival.
struct RingBlock {
  void* at = nullptr;        // the ring's own: where frames_of() goes on
  std::uint32_t frames = 0;  // from there on
  std::uint32_t cut = 0;     // of the frame there: so many segments were given already
  std::int64_t last_ns = 0;  // when the last one came, ns since 1970 UTC
  Lease lease;               // of all its frames
};

class Ring {
 public:
  Ring() = default;
  virtual ~Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  virtual std::size_t size() const = 0;  // bytes of memory for frames

  // For poll(2): readable when there may be a block; -1: nothing tells. It is looked at once in each pause() as well.
  virtual int fd() const = 0;
  virtual std::chrono::milliseconds pause() const {
    return fd() < 0 ? std::chrono::milliseconds(1) : std::chrono::milliseconds::max();
  }

  // The next block that is complete, if there is one. A ring may make blocks of what has come in, as many frames as
  // are worth a call.
  virtual std::optional<RingBlock> next() = 0;

  // Adds up to `most` frames of the block, and goes on behind them.
  virtual void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const = 0;

  // Nothing can come in before a lease is let go: the ring has been taken all around.
  virtual bool waits_for_lease() const = 0;

  // How long after it came in a frame is in a block that next() gives, at most.
  virtual std::chrono::milliseconds delay() const = 0;

  // Asked when next() gave no block: all frames captured before this time have been given, ns since 1970 UTC.
  // `now_ns`: when that was. FrameBlock::kNothingPassed: this ring does not tell, and others are not held up by it.
  virtual std::int64_t watermark_ns(std::int64_t now_ns) const {
    return now_ns - std::chrono::nanoseconds(delay()).count();
  }

  // All its frames have passed the capture filter; the others are counted as filtered.
  virtual bool filters() const { return false; }

  // Frames of several segments are cut, where it can be known how.
  virtual bool cuts() const { return false; }

  // Bytes that were captured of these frames, which it gave. Those longer than any of its interface are counted.
  std::uint64_t measure(const std::vector<Frame>& frames);
  // `longest`: says how long these may be just now. To be told before frames are read; asked by who reads them, where
  // one is longer than set_longest_frame() says, for that may have changed since.
  void ask_for_longest_frame(std::function<std::uint32_t()> longest) { ask_for_longest_ = std::move(longest); }
  void set_longest_frame(std::uint32_t bytes) { longest_frame_.store(bytes, std::memory_order_relaxed); }
  std::uint64_t uncut() const { return uncut_.load(std::memory_order_relaxed); }

  // No more frames come in. What has come in is given within delay().
  virtual void shut() = 0;

  // The error that poll(2) told of, which it does not tell again; 0 if none.
  virtual int take_error() { return 0; }

  // Brings counts() up to date with what others count. Asked about once a second, and at the end.
  virtual void update_counts() = 0;
  virtual RingCounts counts() const = 0;

  // Of which Observation Point its packets are: a number of ObservedPoints, told once before they are read.
  void observes(std::uint32_t point) { point_ = point; }
  std::uint32_t point() const { return point_; }

  // What became of its packets once they were received: told by those who meter them, from any thread.
  void count_handed_over(std::uint64_t to_owners, std::uint64_t lost) {
    handed_over_.fetch_add(to_owners, std::memory_order_relaxed);
    hand_over_full_.fetch_add(lost, std::memory_order_relaxed);
  }
  // counts(), and that.
  RingCounts all_counts() const {
    RingCounts all = counts();
    all.handed_over = handed_over_.load(std::memory_order_relaxed);
    all.uncut = uncut();
    all.hand_over_full = hand_over_full_.load(std::memory_order_relaxed);
    all.last_ns = last_ns();
    all.fill = fill();
    return all;
  }

  // The share of the ring that is taken, 0 to 1, if that is known. From any thread, like counts().
  virtual std::optional<double> fill() const { return std::nullopt; }

  // Whoever asks for blocks tells of each time, and of what came of it, so that others see whether anybody takes them.
  void looked(const std::optional<RingBlock>& block) {
    looks_.store(looks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (block) last_ns_.store(block->last_ns, std::memory_order_relaxed);
  }
  std::uint64_t polls() const { return looks_.load(std::memory_order_relaxed); }  // so far
  std::int64_t last_ns() const { return last_ns_.load(std::memory_order_relaxed); }

 protected:
  void count_uncut(std::uint64_t frames) { uncut_.fetch_add(frames, std::memory_order_relaxed); }

 private:
  std::function<std::uint32_t()> ask_for_longest_;
  std::atomic<std::uint64_t> handed_over_ = 0, hand_over_full_ = 0, uncut_ = 0;
  std::atomic<std::uint32_t> longest_frame_ = std::numeric_limits<std::uint32_t>::max();
  std::atomic<std::uint64_t> looks_ = 0;  // by one thread at a time
  std::atomic<std::int64_t> last_ns_ = 0;
  std::uint32_t point_ = 0;
};

// From now on the socket gets nothing, and nothing is counted. False: errno tells why.
bool refuse_everything(int socket);

// How late frames come that a kernel collects in blocks, and hands over when a block is full or some time has passed.
// The kernel looks once in this time whether a block has waited for long enough, so that one may wait twice as long;
// and a busy machine does so late.
constexpr std::chrono::milliseconds delay_of_block(std::chrono::milliseconds block_time) {
  constexpr std::chrono::milliseconds kMostLate{50};
  return 2 * block_time + std::min(3 * block_time, kMostLate);
}

// The longest for which that is within `delay`.
constexpr std::chrono::milliseconds block_time_within(std::chrono::milliseconds delay) {
  std::chrono::milliseconds longest = delay / 2;
  while (longest.count() > 0 && delay_of_block(longest) > delay) --longest;
  return longest;
}

}  // namespace warpmeter::inline packet
