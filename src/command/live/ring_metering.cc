#include "command/live/ring_metering.h"

#include <algorithm>

#include "base/threads/in_threads.h"
#include "core/random_seed.h"
#include "pipeline/metering/end_flows.h"

namespace warpmeter::inline command {
namespace {

unsigned owners_of(const MeteringOptions& options, const ObservationPoints& points) {
  const std::size_t rings = std::max<std::size_t>(points.rings().size(), 1);
  return static_cast<unsigned>(std::min({std::size_t{options.threads}, rings, std::size_t{FlowOwners::kMost}}));
}

std::size_t queue_of(std::size_t owners) {
  return std::min(RingMetering::kQueue, RingMetering::kQueuesInAll / (owners * owners));
}

// Bytes; 0: there are no streams, or nobody to hand any over to.
std::size_t payload_queue_of(std::size_t owners, const BesideRings& beside) {
  constexpr std::size_t kUsual = 4 << 20, kInAll = 64 << 20;
  if (!beside.streams || owners == 1) return 0;
  return std::min(kUsual, kInAll / (owners * owners));
}

}  // namespace

RingMetering::RingMetering(const MeteringOptions& options, ObservationPoints& points, RunStore& runs, StageClock& clock,
                           const BesideRings& beside)
    : RingMetering(options, points, runs, clock, queue_of(owners_of(options, points)), beside) {}

RingMetering::RingMetering(const MeteringOptions& options, ObservationPoints& points, RunStore& runs, StageClock& clock,
                           std::size_t queue, const BesideRings& beside)
    : options_(options),
      hash_seed_(random_hash_seed()),
      runs_(runs),
      clock_(clock),
      streams_(beside.streams),
      decoder_(options.decode, hash_seed_),
      exchange_(owners_of(options, points), queue, payload_queue_of(owners_of(options, points), beside)),
      flow_owners_(options.meter.timeouts.idle_ns, FlowOwners::places_of(exchange_.owners())),
      hole_memory_(hole_memory_of(options.meter), options.tmpdir) {
  const RingOwner::Common common{.options = options_,
                                 .hash_seed = hash_seed_,
                                 .decoder = decoder_,
                                 .runs = runs,
                                 .clock = clock,
                                 .exchange = exchange_,
                                 .owners = flow_owners_,
                                 .hole_memory = hole_memory_,
                                 .running = running_,
                                 .failed = failed_,
                                 .streams = beside.streams,
                                 .talkers = beside.talkers,
                                 .sample = beside.sample};
  const unsigned count = exchange_.owners();
  for (unsigned i = 0; i < count; ++i) {
    std::vector<Ring*> rings;
    for (std::size_t ring = i; ring < points.rings().size(); ring += count) rings.push_back(points.rings()[ring]);
    owners_.push_back(std::make_unique<RingOwner>(common, i, points, rings, options.meter.flow_memory / count));
  }
}

void RingMetering::run() {
  in_threads(
      static_cast<unsigned>(owners_.size()),
      [this](unsigned owner) {
        if (options_.begin_thread) options_.begin_thread(owner);
        owners_[owner]->run();
      },
      [this] { failed_ = true; });
  if (streams_) streams_->end(watermark_ns());
}

std::int64_t RingMetering::watermark_ns() const {
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;
  for (const auto& owner : owners_) watermark_ns = std::max(watermark_ns, owner->watermark_ns());
  return watermark_ns;
}

void RingMetering::drain() {
  std::vector<Shard*> shards;
  for (const auto& owner : owners_) {
    for (const auto& shard : owner->group().shards()) shards.push_back(shard.get());
    decode_counters_.add(owner->decode_counters());
  }
  end_flows(shards, {options_.threads, options_.meter.flow_memory, watermark_ns()}, runs_, clock_);
  for (const Shard* const shard : shards) meter_counters_.add(shard->counters());
}

}  // namespace warpmeter::inline command
