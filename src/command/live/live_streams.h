// The TCP streams of a live capture, for a detector beside it (--streams): the threads that meter rings show their
// frames here as well, which are decoded once more, with what they carry, and put together at once, while their block
// of the ring is held. What is put together goes to a queue that nobody waits at (detector_queue.h).
//
// Connections are shared between channels by both of their ends, each channel with a lock: both directions of one may
// come to different rings. A thread holds one lock at a time, as long as it takes to put a batch's segments in.
//
// Threads: a Tap by one, several beside each other; pass() by any; the rest by the one that makes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "command/live/detector_feed.h"
#include "command/live/detector_options.h"
#include "command/live/detector_queue.h"
#include "core/counters.h"
#include "core/flow_hash.h"
#include "core/payload_batch.h"
#include "flow/meter/huge_pages.h"
#include "packet/decode/decoder.h"
#include "stream/reassembly/reassembler.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

class LiveStreams {
 public:
  // `decode`: as the capture is metered, but for its Flow Keys. What is referred to must outlive it. Throws Error where
  // nobody can listen for them.
  LiveStreams(const DetectorOptions& options, const DecodeOptions& decode, const std::atomic<bool>& gives_up);
  ~LiveStreams();

  // What one thread has for it.
  class Tap {
   public:
    // The `number`th of such threads.
    Tap(LiveStreams& streams, unsigned number);
    // The next frames of its rings. They need not stay.
    void take(const FrameBlock& frames);

   private:
    LiveStreams& streams_;
    const unsigned first_channel_;
    PayloadBatch batch_;
    DecodeCounters not_told_;  // metering counts the same
  };

  // All frames captured before this time have been taken: whoever has been silent for the timeout ends.
  void pass(std::int64_t passed_ns);

  // No more frames come, and so late it is. Connections end while others go on. Does nothing when called again.
  void end(std::int64_t passed_ns);
  // Until the detector has all, or is given up. Throws what that threw.
  void finish();

  StreamFeedCounts counts() const { return queue_.counts(); }  // from any thread

 private:
  static constexpr unsigned kChannels = 16, kShardsAChannel = kShards / kChannels;
  static_assert(kShards % kChannels == 0);

  struct alignas(64) Channel {
    std::mutex mutex;  // of its shards
  };

  std::uint64_t end_connections(std::int64_t passed_ns);
  void look_for_idle(std::int64_t passed_ns);

  const std::int64_t timeout_ns_;
  const Decoder decoder_;
  DetectorQueue queue_;
  HugePages memory_;  // of the shards
  std::vector<std::unique_ptr<Reassembler>> shards_;
  std::vector<Channel> channels_{kChannels};
  std::atomic<std::uint64_t> next_number_ = 1;  // of a packet
  std::mutex idle_mutex_;                       // of what follows, up to the next remark
  std::int64_t looked_ns_ = 0;
  unsigned idle_shard_ = 0;  // to be looked at next
  bool more_idle_ = false;   // than there was time to look for
  // Of others.
  bool is_over_ = false;
  DetectorFeed feed_;
};

}  // namespace warpmeter::inline command
