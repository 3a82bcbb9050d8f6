// Packets from rings of Observation Points: of interfaces and drivers, or what another program feeds.
//
// Threads: as of a LiveSource.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "command/live/live_source.h"

namespace warpmeter::inline command {

class LiveRings : public LiveSource {
 public:
  // Opens them. Throws Error.
  LiveRings(const LiveOptions& options, const PacketFilter* filter, CaptureCpus& cpus, const std::atomic<bool>& stop);
  // Those that others have opened.
  explicit LiveRings(std::unique_ptr<ObservationPoints> points) : points_(std::move(points)) {}

  const PacketFilter* filter() const override { return filter_; }
  std::unique_ptr<PacketSource> open(std::chrono::nanoseconds tell_every) override;
  void begin() override { points_->begin(); }
  void end() override { points_->end(); }
  bool wants_to_stop() const override { return points_->wants_to_stop(); }
  std::vector<std::uint64_t> polls() const override;
  std::vector<RingCounts> ring_counts() const override { return points_->ring_counts(); }
  std::vector<PointCounts> point_counts() const override { return points_->point_counts(); }
  std::string description() const override { return points_->description(); }
  ObservationPoints* points() const override { return points_.get(); }
  void tell(Summary& summary) override;

 private:
  const PacketFilter* filter_ = nullptr;
  std::unique_ptr<ObservationPoints> points_;
};

}  // namespace warpmeter::inline command
