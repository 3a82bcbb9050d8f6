// What one thread does of a live capture: it takes the blocks of its rings, decodes them where they lie, meters the
// segments of its own flows at once and hands the others to their owners; and it meters what others hand to it.
//
// Its flows are its own: shards, duplicate filters and packet numbers that no other thread touches. Packets have the
// numbers in which it meters them, its rings' and those handed over together; the number tells as well where a packet
// was observed (core/observed_points.h).
//
// Threads: run() and what it does by one; the rest when that has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "command/live/core_exchange.h"
#include "command/live/flow_owners.h"
#include "command/live/live_sampling.h"
#include "command/live/live_streams.h"
#include "command/live/live_talkers.h"
#include "core/observed_points.h"
#include "core/packet_batch.h"
#include "core/segment_batch.h"
#include "flow/meter/huge_pages.h"
#include "flow/runs/run_store.h"
#include "packet/decode/decoder.h"
#include "packet/nic/ring/ring_reader.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/metering_process.h"
#include "pipeline/metering/running_counts.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline command {

class RingOwner {
 public:
  // What all owners share; all of it outlives them.
  struct Common {
    const MeteringOptions& options;
    const HashSeed& hash_seed;
    const Decoder& decoder;
    RunStore& runs;
    StageClock& clock;
    CoreExchange& exchange;
    FlowOwners& owners;
    std::pmr::memory_resource& hole_memory;
    RunningCounters& running;
    std::atomic<bool>& failed;       // some owner did
    LiveStreams* streams = nullptr;  // null: nobody wants them
    LiveTalkers* talkers = nullptr;  // the same
    SampleRate* sample = nullptr;    // null: it stays that of the options
  };

  // `flow_memory`: bytes, its own.
  RingOwner(const Common& common, unsigned number, ObservationPoints& points, const std::vector<Ring*>& rings,
            std::uint64_t flow_memory);

  // Until the capture has stopped, and all that came in is metered.
  void run();

  ShardGroup& group() { return *group_; }
  const DecodeCounters& decode_counters() const { return decode_counters_; }
  std::int64_t watermark_ns() const { return reader_.watermark_ns(); }  // as of the capture, when it has ended

 private:
  // Of the batch, from this frame on: from which ring they are.
  struct Stretch {
    Ring* ring;
    std::uint32_t first_segment;
    std::uint64_t handed_over = 0, lost = 0;
  };

  void take_blocks();
  std::chrono::milliseconds longest_wait() const;
  std::optional<TakenBlock> wait_for_block();
  void decode(TakenBlock block);
  void number_by_place(std::uint32_t point, std::uint32_t first_frame, std::uint32_t first_segment);
  void meter_batch();
  void hand_over_others();
  void hand_over(std::uint32_t segment, unsigned to, Stretch& from);
  bool wait_for_room(unsigned to);
  void publish();
  void meter_handed_over();
  void meter_handed_over(SegmentQueue& queue);
  void meter(SegmentBatch& batch);
  void leave_sample();
  void meter_rest();

  const Common common_;
  const unsigned number_;
  RingReader reader_;
  HugePages flow_memory_;  // of the shards
  std::optional<ShardGroup> group_;
  const std::uint32_t most_frames_;  // of a batch
  FrameBlock frames_;
  PacketBatch batch_;      // of its rings
  SegmentBatch incoming_;  // handed over to it
  std::vector<Stretch> stretches_;
  std::uint64_t bytes_ = 0;  // captured, of the batch
  std::uint64_t next_packet_ = 0;
  std::vector<bool> pushed_;        // to an owner, and not published
  std::vector<bool> refused_;       // by an owner that had no room for long: until the next batch
  StreamOwner* streams_ = nullptr;  // null: nobody wants them
  std::optional<LiveTalkers::Walk> walk_;
  std::optional<SampleFollower> sample_;
  DecodeCounters batch_counters_;  // of what is decoded, but not metered yet
  DecodeCounters decode_counters_;
  std::chrono::steady_clock::time_point told_{};
};

}  // namespace warpmeter::inline command
