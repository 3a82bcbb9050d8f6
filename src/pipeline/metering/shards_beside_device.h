// The flows that devices leave to the CPU: from where they were handed over or found no room, to their last packet.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/device_meter.h"
#include "core/segment_batch.h"
#include "flow/meter/shard.h"
#include "pipeline/metering/hole_memory.h"

namespace warpmeter::inline pipeline {

class ShardsBesideDevice {
 public:
  // `tmpdir`: where holes lie that find no room in memory. `idle_found_ns`: how much later than it is idle expire()
  // finds a flow, at most; 0: it is not called.
  ShardsBesideDevice(const MeterOptions& options, const HashSeed& hash_seed, const std::string& tmpdir = "/tmp",
                     std::int64_t idle_found_ns = 0)
      : options_(options),
        hash_seed_(hash_seed),
        idle_found_ns_(idle_found_ns),
        hole_memory_(hole_memory_of(options), tmpdir) {}

  // What a device left of `piece`. Partials of flows that end are put into `finished`.
  void meter(const SegmentSpan& piece, const DeviceMeter::Result& result, std::vector<Partial>& finished);

  // Lets the flows of a device's share of the shards go that are idle at this time. REQUIRES: what that device left of
  // the packets before has been metered.
  void expire(unsigned first_shard, unsigned end_shard, std::int64_t passed_ns, std::vector<Partial>& finished);

  // The flows of a device's share of the shards. Those that are idle expire; `device_ns` is the latest time on that
  // device. Other shards' times mean nothing here: they may have had packets of a batch that this share has yet to get.
  std::vector<FlowOnCpu> list_live(unsigned first_shard, unsigned end_shard, std::int64_t device_ns);

  std::int64_t latest_ns() const;  // INT64_MIN: no packet yet
  std::uint64_t live() const;      // flows

  // Ends up to `most` of the flows that still live; false when there are no more.
  bool drain(std::int64_t trace_end_ns, std::size_t most, std::vector<Partial>& finished);

  MeterCounters counters() const;

 private:
  struct OfShard {
    std::vector<std::uint32_t> position;  // in `left_`
    std::vector<std::uint8_t> duplicate;
  };

  void make_shards();
  void unpack_left(const SegmentSpan& piece, const DeviceMeter::Result& result);
  void take_finished(Shard& shard, std::vector<Partial>& finished);

  const MeterOptions options_;
  const HashSeed hash_seed_;
  const std::int64_t idle_found_ns_;
  HoleMemory hole_memory_;                      // of the shards
  std::vector<std::unique_ptr<Shard>> shards_;  // made when they are needed
  SegmentBatch left_{0};                        // segments that a device left
  std::vector<OfShard> of_shard_;
  std::uint64_t segments_ = 0;
  unsigned drained_ = 0;  // shards
};

}  // namespace warpmeter::inline pipeline
