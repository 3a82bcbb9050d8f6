#include "command/live/live_work.h"

#include <algorithm>

#include "warpmeter/status.h"

namespace warpmeter::inline command {

unsigned owners_of_rings(const LiveOptions& live, const BackendChoice& backend, const LiveSource& source) {
  if (backend.on_device || live.extract.policy.policy) return 0;
  const ObservationPoints* const points = source.points();
  const auto rings = points ? static_cast<unsigned>(points->rings().size()) : 0;
  const unsigned threads = live.thread_a_ring ? rings : live.extract.threads;
  return threads > rings ? 0 : threads;
}

std::unique_ptr<LiveStreams> make_live_streams(const LiveOptions& live, const BackendChoice& backend,
                                               const LiveSource& source, const std::atomic<bool>& gives_up) {
  if (live.detector.socket.empty()) return nullptr;
  if (live.extract.policy.policy) {
    throw Error("--streams: not with --policy, for which all threads read all rings", ExitStatus::usage);
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
        "--sample-flows auto: who reads a ring alone can change the sample; not with --backend cuda or --policy, nor "
        "with more --threads than rings",
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
