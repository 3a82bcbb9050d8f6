// The flows that devices leave to the CPU: from where they were handed over or found no room, to their last packet.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device_meter.h"
#include "core/segment_batch.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_process.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline pipeline {

class CpuFallback {
 public:
  // Of so many devices, each with a share of the shards. `give_away` takes the partials of flows that end, by the
  // thread that calls meter() or expire_idle(). What is referred to must outlive it, but for `options`.
  CpuFallback(const MeteringOptions& options, const HashSeed& hash_seed, std::size_t devices, StageClock& clock,
              std::function<void(PartialChunk)> give_away);

  // What a device left of `piece`.
  void meter(unsigned device, const SegmentSpan& piece, const DeviceMeter::Result& result);

  // Lets the flows of a device's share go that are idle at this time. REQUIRES: what that device left of the packets
  // before has been metered.
  void expire_idle(unsigned device, std::int64_t watermark_ns);

  // The flows of a device's share. Those that are idle expire, and are given away with the next that end; `device_ns`
  // is the latest time on that device. Other shares' times mean nothing here: they may have had packets of a batch that
  // this one has yet to get.
  std::vector<FlowOnCpu> list_live(unsigned device, std::int64_t device_ns);

  // What still lives, and partials that are not given away yet, is in these. REQUIRES: no packet comes any more.
  std::vector<Shard*> shards() const;

  std::int64_t latest_ns() const;  // INT64_MIN: no packet yet
  std::uint64_t live() const;      // flows
  MeterCounters counters() const;

 private:
  ShardGroup& group_of(unsigned device);
  void unpack_left(const SegmentSpan& piece, const DeviceMeter::Result& result);

  const MeterOptions options_;
  const HashSeed hash_seed_;
  const std::int64_t expire_every_ns_;
  StageClock& clock_;
  const std::function<void(PartialChunk)> give_away_;
  HoleMemory hole_memory_;                           // of the shards
  std::vector<std::unique_ptr<ShardGroup>> groups_;  // a device each, made when it is needed
  SegmentBatch left_{0};                             // segments that a device left
  std::uint64_t segments_ = 0;
};

}  // namespace warpmeter::inline pipeline
