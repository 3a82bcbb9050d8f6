// The TCP streams of a live capture, for a detector beside it (--streams): the threads that meter rings decode their
// frames with what they carry, and put that together at once, while its block of the ring is held. What is put together
// goes to a queue that nobody waits at (detector_queue.h).
//
// Both directions of a connection have one owner, the thread whose ring saw it first (flow_owners.h), with reassemblers
// of its own. What comes to another ring is copied and goes to the owner through a queue; where rings keep connections
// together, as those of the kernel's hash do, nothing has to. A thread never waits for another: what finds no room in
// its queue is missing in its stream, and counted.
//
// Threads: a StreamOwner by one, several beside each other; counts() by any; the rest by the one that makes it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "command/live/core_exchange.h"
#include "command/live/detector_feed.h"
#include "command/live/detector_queue.h"
#include "command/live/flow_owners.h"
#include "command/live/live.h"
#include "core/payload_batch.h"
#include "flow/meter/huge_pages.h"
#include "stream/reassembly/reassembler.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline command {

// What owners of streams share; all of it outlives them.
struct SharedStreams {
  DetectorQueue& queue;
  HugePages& memory;  // of all connections
  FlowOwners& owners;
  std::atomic<std::uint64_t>& next_number;  // of a packet: connections are told apart by that of their first
  std::atomic<std::uint64_t>& lost_segments;
};

// What one thread does for streams.
class StreamOwner {
 public:
  // The `number`th of so many. `options`: memory is that of all of them.
  StreamOwner(const SharedStreams& shared, const ReassemblerOptions& options, unsigned owners, unsigned number);

  // What the next `frames` frames of its rings carry, of which the first has this place in the batch. Neither need
  // stay. What belongs to others goes to them by way of `others`.
  void take(PayloadBatch& payload, std::uint32_t first_frame, std::uint32_t frames, CoreExchange& others);
  // What others have for it now.
  void take_handed_over(CoreExchange& others);

  // All frames captured before this time have been taken: whoever has been silent for the timeout ends.
  void pass(std::int64_t watermark_ns);

  // REQUIRES: nothing comes any more. The latest time of its segments; Reassembler::kNoTime: there were none.
  std::int64_t latest_ns() const;
  // All its connections end. Returns how many segments were stray.
  std::uint64_t end_all(std::int64_t latest_ns);

 private:
  void give_to_owners(PayloadBatch& payload, CoreExchange& others);
  void reassemble_all(PayloadBatch& payload);
  void look_for_idle(std::int64_t watermark_ns);

  const SharedStreams shared_;
  const unsigned number_;
  const std::int64_t timeout_ns_;
  std::vector<std::unique_ptr<Reassembler>> shards_;  // its part of kShards
  PayloadBatch incoming_;
  std::vector<bool> pushed_;  // to an owner, and not published
  std::int64_t looked_ns_ = 0;
  std::size_t idle_shard_ = 0;  // to be looked at next
  bool more_idle_ = false;      // than there was time to look for
};

class LiveStreams {
 public:
  // For so many threads. `gives_up` must outlive it. Throws Error where nobody can listen for them.
  LiveStreams(const DetectorOptions& options, unsigned owners, const std::atomic<bool>& gives_up);
  ~LiveStreams();

  unsigned owners() const { return static_cast<unsigned>(owners_.size()); }
  StreamOwner& owner(unsigned number) { return *owners_[number]; }

  // No more frames come, and so late it is. Connections end while others go on. Does nothing when called again.
  void end(std::int64_t watermark_ns);
  // Until the detector has all, or is given up. Throws what that threw.
  void finish();

  StreamFeedCounts counts() const;  // from any thread

 private:
  std::uint64_t end_connections(std::int64_t watermark_ns);

  DetectorQueue queue_;
  HugePages memory_;  // of the connections
  FlowOwners connection_owners_;
  std::atomic<std::uint64_t> next_number_ = 1, lost_segments_ = 0;
  std::vector<std::unique_ptr<StreamOwner>> owners_;
  bool is_over_ = false;
  DetectorFeed feed_;
};

}  // namespace warpmeter::inline command
