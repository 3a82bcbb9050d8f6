#include "live/live_work.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "live/ring_metering.h"

namespace warpmeter {
namespace {

std::string count_of(unsigned count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// So many threads of the user's are owners of rings; 0: there are more of them than rings, or no rings.
unsigned owners_of(const LiveOptions& live, const LiveSource& source) {
  const ObservationPoints* const points = source.points();
  const auto rings = points ? static_cast<unsigned>(points->rings().size()) : 0;
  const unsigned threads = live.thread_a_ring ? rings : live.extract.threads;
  return threads > rings ? 0 : threads;
}

}  // namespace

std::unique_ptr<MeteringWork> make_live_work(const LiveOptions& live, const ExtractOptions& options,
                                             const BackendChoice& backend, LiveSource& source) {
  const unsigned threads = backend.on_device ? 0 : owners_of(live, source);
  if (threads == 0) {
    BackendChoice chosen = backend;
    if (source.points() && !backend.on_device) chosen.reason = "live, all threads for all rings";
    return std::make_unique<MeteringWork>(options, source.open(live.max_latency / 2), source.filter(), chosen);
  }
  ObservationPoints& points = *source.points();
  auto tally = std::make_unique<RingTally>(points.ends());
  const auto make = [&, told = tally.get()](MeteringOptions metering, RunStore& runs, StageClock& clock) {
    metering.threads = threads;
    return std::make_unique<RingMetering>(metering, points, *told, runs, clock);
  };
  const std::string how = fmt::format("live, {} for {}", count_of(threads, "thread"),
                                      count_of(static_cast<unsigned>(points.rings().size()), "ring"));
  return std::make_unique<MeteringWork>(options, std::move(tally), source.filter(), BackendChoice{"cpu", how}, make);
}

}  // namespace warpmeter
