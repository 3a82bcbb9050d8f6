#include "command/live/live_source.h"

#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/live/open_points.h"
#include "command/live/run_options.h"
#include "packet/file/capture_links.h"
#include "packet/nic/ring/ring_source.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

LiveRings::LiveRings(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus,
                     const std::atomic<bool>& stop)
    : filter_(filter) {
  LiveOptions with_filter = options;
  if (filter) {
    with_filter.ring.filter = [filter](std::uint16_t link) {
      const EndedBySignals meanwhile;  // it may be compiled now
      if (const std::string refusal = filter->refusal(link); !refusal.empty()) {
        throw Error("link type " + link_name(link) + ": " + refusal);
      }
      return filter->program(link);
    };
  }
  with_filter.ring.block_ms = block_ms_of(options.max_latency, options.interfaces.size() == 1 && options.rings <= 1);
  points_ = std::make_unique<ObservationPoints>(open_points(with_filter, cpus.plan()), options.duration, warn, stop);
  if (points_->filter()) filter_ = nullptr;
  cpus.move_interrupts(*points_);
}

std::unique_ptr<PacketSource> LiveRings::open(std::chrono::nanoseconds) {
  return std::make_unique<RingSource>(*points_);
}

std::vector<std::uint64_t> LiveRings::polls() const {
  std::vector<std::uint64_t> looks;
  for (const Ring* const ring : points_->rings()) looks.push_back(ring->polls());
  return looks;
}

void LiveRings::tell(Summary& summary) {
  points_->look();
  summary.rings = points_->ring_counts();
  summary.points = points_->point_counts();
  summary.findings.unreadable = points_->gone();
}

}  // namespace warpmeter::inline command
