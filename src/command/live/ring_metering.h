// The Metering Process of a live capture: RingMetering, a thread a ring, or all threads for all that comes, as
// make_live_work() chooses.
//
// RingMetering: each ring is read, decoded and metered on the CPU by one thread, its owner, and a thread has as many
// rings as there are more of them than threads. No packet waits for a lock, and none is touched by two threads but
// those that come to another ring than that of their flow (flow_owners.h).
//
// The packets of a flow that come to one ring keep their order; between several rings they have none.
//
// With streams for a detector a thread may wait for another one, while that puts some segments in (live_streams.h).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "command/live/live.h"
#include "command/live/live_sampling.h"
#include "command/live/live_source.h"
#include "command/live/live_streams.h"
#include "command/live/ring_owner.h"
#include "packet/nic/ring/observation_points.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_process.h"
#include "pipeline/metering/metering_work.h"

namespace warpmeter::inline command {

// What else a capture may have. Null: it has not. All must outlive the metering.
struct BesideRings {
  LiveStreams* streams = nullptr;  // get all frames, too
  LiveTalkers* talkers = nullptr;  // see all flows
  SampleRate* sample = nullptr;    // says which sample there is instead of that of the options; of so many owners
};

class RingMetering : public MeteringProcess {
 public:
  // Segments that a queue between two owners holds, and all queues together: 96 MiB.
  static constexpr std::size_t kQueue = 16384, kQueuesInAll = 1 << 20;

  // So many owners: as many as threads, but no more than rings. What is referred to must outlive it. Throws Error.
  RingMetering(const MeteringOptions& options, ObservationPoints& points, RunStore& runs, StageClock& clock,
               const BesideRings& beside = {});
  // With queues of `queue` segments.
  RingMetering(const MeteringOptions& options, ObservationPoints& points, RunStore& runs, StageClock& clock,
               std::size_t queue, const BesideRings& beside = {});

  void run() override;
  void drain() override;
  std::uint64_t block() const override { return options_.meter.five_tuple.block; }

 private:
  std::int64_t watermark_ns() const;

  const MeteringOptions options_;
  const HashSeed hash_seed_;
  RunStore& runs_;
  StageClock& clock_;
  LiveStreams* const streams_;
  const Decoder decoder_;
  CoreExchange exchange_;
  FlowOwners flow_owners_;
  HoleMemory hole_memory_;  // of all shards
  std::atomic<bool> failed_ = false;
  std::vector<std::unique_ptr<RingOwner>> owners_;
};

// How many threads have rings of their own; 0: all meter all that comes, since there are more of them than rings, no
// rings, or a GPU.
unsigned owners_of_rings(const LiveOptions& live, const BackendChoice& backend, const LiveSource& source);

// Streams for a detector, as the options ask for them; null: they do not. Throws Error, also where no thread has a ring
// of its own.
std::unique_ptr<LiveStreams> make_live_streams(const LiveOptions& live, const BackendChoice& backend,
                                               const LiveSource& source, const std::atomic<bool>& gives_up);

// What lets the sample of flows change, among so many owners of rings; null: it stays. Throws Error where there are
// none.
std::unique_ptr<LiveSampling> make_live_sampling(const ExtractOptions& options, unsigned owners);

// `options`: of the run, as made of `live`. `beside`: nothing of it where no thread has a ring of its own. What is
// referred to must outlive it. Throws Error.
std::unique_ptr<MeteringWork> make_live_work(const LiveOptions& live, const ExtractOptions& options,
                                             const BackendChoice& backend, LiveSource& source,
                                             const BesideRings& beside);

}  // namespace warpmeter::inline command
