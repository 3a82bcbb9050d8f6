// The Metering Process on the CPU: worker threads that take frames from a source and leave finished partials in a
// store.
//
// Shards are metered in groups, each of which sees the batches in trace order and is one thread at a time. With a
// policy, a group's packets go through its rounds first: batches have their payload then, and are PolicyBatches.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/policy_batch.h"
#include "core/segment_batch.h"
#include "core/thread_annotations.h"
#include "flow/meter/huge_pages.h"
#include "flow/runs/live_annotations.h"
#include "flow/runs/run_store.h"
#include "packet/decode/decoder.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_process.h"
#include "pipeline/metering/shard_group.h"
#include "policy/rounds/policy_rounds.h"

namespace warpmeter::inline pipeline {

// `Batch`: SegmentBatch or PolicyBatch.
template <class Batch>
class CpuMeteringOf : public MeteringProcess {
 public:
  // What is referred to must outlive it.
  CpuMeteringOf(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock);

  void run() override;
  void drain() override;
  std::vector<std::shared_ptr<const LiveFlows>> live_flows() override;
  PartialChunk live_annotations() override;
  PolicyCounters running_policy() const override;
  std::uint64_t block() const override { return options_.meter.five_tuple.block; }

 private:
  static constexpr bool kHasPolicy = std::is_same_v<Batch, PolicyBatch>;
  // Before the shards of a group.
  struct GroupPolicy {
    GroupPolicy(const MeteringOptions& options, const HashSeed& hash_seed, unsigned first, unsigned end,
                std::pmr::memory_resource& memory, RunStore& runs);
    AnnotationSink& sink() { return live ? static_cast<AnnotationSink&>(*live) : log; }
    void tell();

    ShardGroup* group = nullptr;  // that meters what passes
    AnnotationLog log;
    std::optional<LiveAnnotations> live;  // in its place, where Flow Records leave while more packets are metered
    PolicyRounds rounds;
    mutable std::mutex mutex;
    PolicyCounters told WARPMETER_GUARDED_BY(mutex);  // only of a policy that may change
  };

  CpuMeteringOf(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock,
                const HashSeed& hash_seed);
  static BatchShape shape_of(const MeteringOptions& options);
  void add_group(ShardGroupOptions group, unsigned first, unsigned end);

  // Its segments are listed by shard.
  using Decoded = std::conditional_t<kHasPolicy, LeasedBatch<Batch>, DecodedBatch<Batch>>;
  struct ListedBatch : Decoded {
    ListedBatch(const Decoder& decoder, StageClock& clock, std::vector<Batch> of, bool keeps)
        : Decoded(decoder, clock, std::move(of)), keeps_frames(keeps) {}
    void begin();
    void add(const FrameBlock& block);
    void finish(std::uint64_t first_number);

    const bool keeps_frames;  // for annexes
    std::vector<Frame> frames;
    std::vector<Lease> leases;
  };

  class AnnexesOfFrames;

  void meter(unsigned group, std::uint64_t first_batch, std::uint64_t last_batch);
  void meter(unsigned group, const ListedBatch& batch);
  void meter(unsigned group, const ListedBatch& batch, std::span<const ListedSegment> listed);

  const MeteringOptions options_;
  const BatchShape shape_;
  RunStore& runs_;
  StageClock& clock_;
  const Decoder decoder_;
  OrderedBatches<ListedBatch> batches_;
  HugePages flow_memory_;                               // of the shards
  HoleMemory hole_memory_;                              // of the shards
  std::vector<std::unique_ptr<ShardGroup>> groups_;     // a consumer each
  std::vector<std::unique_ptr<GroupPolicy>> policies_;  // of each of them, if there is a policy
};

using CpuMetering = CpuMeteringOf<SegmentBatch>;
using PolicyMetering = CpuMeteringOf<PolicyBatch>;

}  // namespace warpmeter::inline pipeline
