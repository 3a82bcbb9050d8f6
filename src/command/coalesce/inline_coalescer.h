// One direction of an inline run: frames of a ring, in order, to a device. Packets of TCP that may be joined wait until
// the ring is empty, or for their timeout; all others pass as they are.
//
// Threads: run() by one; counts() by any.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "command/coalesce/coalesce_summary.h"
#include "command/coalesce/inline_command.h"
#include "core/hash_seed.h"
#include "core/thread_annotations.h"
#include "packet/inject/frame_writer.h"
#include "packet/nic/ring/packet_ring.h"
#include "stream/coalescing/coalescer.h"

namespace warpmeter::inline command {

class InlineCoalescer {
 public:
  // What is referred to must outlive it.
  InlineCoalescer(PacketRing& ring, FrameWriter& out, const InlineOptions& options);

  // Until `ends`; what has come in by then is forwarded. Throws Error: there is no device any more.
  void run(const std::atomic<bool>& ends);

  // Packets, and what became of them, but for what the writer counts: as of a moment ago, exact once run() has
  // returned.
  CoalesceSummary counts() const;
  std::uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }  // so far, for who asks if it works

 private:
  using Clock = std::chrono::steady_clock;

  void forward(const std::atomic<bool>& ends);
  void take(RingBlock& block);
  void take(WholeFrame& whole);
  void write_left();
  void end_round();
  void give_back();
  void wait();
  void take_the_rest();
  void publish();

  PacketRing& ring_;
  FrameWriter& out_;
  const bool verify_, by_average_;
  const HashSeed seed_;
  Coalescer coalescer_;
  // Blocks of the ring that what waits lies in, each with the number of its last packet; at most so many.
  struct HeldBlock {
    std::uint64_t last;
    Lease lease;
  };
  const std::size_t most_held_;
  std::deque<HeldBlock> held_;
  std::vector<WholeFrame> frames_;
  std::vector<CoalescedPacket> left_;
  std::vector<iovec> pieces_;
  std::vector<std::uint8_t> copied_;
  CoalesceSummary counts_;
  Clock::time_point round_began_{}, published_at_{};
  std::int64_t wait_ns_ = 0;  // until something has to leave
  std::atomic<std::uint64_t> rounds_ = 0;
  mutable std::mutex mutex_;
  CoalesceSummary published_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline command
