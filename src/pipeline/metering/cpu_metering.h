// The Metering Process on the CPU: worker threads that take frames from a source and leave finished partials in a
// store.
//
// Shards are metered in groups, each of which sees the batches in trace order and is one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/segment_batch.h"
#include "flow/meter/huge_pages.h"
#include "flow/runs/run_store.h"
#include "packet/decode/decoder.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_process.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline pipeline {

class CpuMetering : public MeteringProcess {
 public:
  // What is referred to must outlive it.
  CpuMetering(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock);

  void run() override;
  void drain() override;
  std::vector<std::shared_ptr<const LiveFlows>> live_flows() override;
  std::uint64_t block() const override { return options_.meter.five_tuple.block; }

 private:
  CpuMetering(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock,
              const HashSeed& hash_seed);
  static BatchShape shape_of(const MeteringOptions& options);
  void meter(unsigned group, std::uint64_t first_batch, std::uint64_t last_batch);

  // Its segments are listed by shard.
  struct ListedBatch : DecodedBatch<SegmentBatch> {
    using DecodedBatch::DecodedBatch;
    void finish(std::uint64_t first_number);
  };

  const MeteringOptions options_;
  const BatchShape shape_;
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  OrderedBatches<ListedBatch> batches_;
  HugePages flow_memory_;                            // of the shards
  HoleMemory hole_memory_;                           // of the shards
  std::vector<std::unique_ptr<ShardGroup>> groups_;  // a consumer each
};

}  // namespace warpmeter::inline pipeline
