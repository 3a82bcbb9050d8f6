#include "command/live/ring_metering.h"

#include <algorithm>

#include "base/threads/in_threads.h"
#include "core/seeded_hash.h"
#include "pipeline/metering/shard_group.h"
#include "warpmeter/status.h"

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

unsigned owners_of_rings(const LiveOptions& live, const BackendChoice& backend, const LiveSource& source) {
  if (backend.on_device || live.extract.asks_frames()) return 0;
  const ObservationPoints* const points = source.points();
  const auto rings = points ? static_cast<unsigned>(points->rings().size()) : 0;
  const unsigned threads = live.thread_a_ring ? rings : live.extract.threads;
  return threads > rings ? 0 : threads;
}

std::unique_ptr<LiveStreams> make_live_streams(const LiveOptions& live, const BackendChoice& backend,
                                               const LiveSource& source, const std::atomic<bool>& gives_up) {
  if (live.detector.socket.empty()) return nullptr;
  if (live.extract.asks_frames()) {
    throw Error("--streams: not with --policy or --annex, for which all threads read all rings", ExitStatus::usage);
  }
  const unsigned owners = owners_of_rings(live, backend, source);
  if (owners == 0) {
    throw Error("--streams: each ring is read by one thread then; fewer --threads, or more --rings", ExitStatus::usage);
  }
  DetectorOptions options = live.detector;
  options.streams.by_rings = source.points()->rings().size() > 1;
  return std::make_unique<LiveStreams>(options, std::min(owners, FlowOwners::kMost), gives_up);
}

std::unique_ptr<LiveSampling> make_live_sampling(const ExtractOptions& options, unsigned owners) {
  if (options.rarest_sample == 0) return nullptr;
  if (owners == 0) {
    throw Error(
        "--sample-flows auto: who reads a ring alone can change the sample; not with --backend cuda, --policy or "
        "--annex, nor with more --threads than rings",
        ExitStatus::usage);
  }
  return std::make_unique<LiveSampling>(options.rarest_sample, owners);
}

std::unique_ptr<MeteringWork> make_live_work(const LiveOptions& live, const ExtractOptions& options,
                                             const BackendChoice& backend, LiveSource& source,
                                             const BesideRings& beside) {
  const unsigned threads = owners_of_rings(live, backend, source);
  if (threads == 0) {
    BackendChoice chosen = backend;
    if (source.points() && !backend.on_device) chosen.reason = "live, all threads for all rings";
    return std::make_unique<MeteringWork>(options, source.open(live.max_latency / 2), source.filter(), chosen);
  }
  ObservationPoints& points = *source.points();
  const auto make = [&](MeteringOptions metering, RunStore& runs, StageClock& clock) {
    metering.threads = threads;
    return std::make_unique<RingMetering>(metering, points, runs, clock, beside);
  };
  return std::make_unique<MeteringWork>(options, source.filter(), backend, make);
}

}  // namespace warpmeter::inline command
