// Packets in fake rings, metered to partials.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "command/live/ring_metering.h"
#include "packet/nic/ring/fake_ring.h"
#include "packet/nic/ring/ring_reader.h"
#include "pipeline/metering/cpu_metering.h"
#include "support/record_maker.h"

namespace warpmeter::test {

inline std::int64_t wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

inline MeteringOptions ring_options(unsigned threads) {
  MeteringOptions options;
  options.threads = threads;
  options.batch = 64;
  options.meter.flow_memory = 64 << 20;
  return options;
}

// One capture from one point.
class MeteredRings {
 public:
  MeteredRings(const MeteringOptions& options, std::unique_ptr<FakePoint> point)
      : options_(options),
        point_(*point),
        points_(
            listed(std::move(point)), {}, [](const std::string&) {}, stop_) {}
  MeteredRings(const MeteringOptions& options, unsigned rings)
      : MeteredRings(options, std::make_unique<FakePoint>(rings)) {}

  FakeRing& ring(std::size_t number) { return point_.fake(number); }
  // Once what was put in so far is metered.
  void stop() { stop_ = true; }

  // Until it is stopped.
  void run(std::size_t queue = RingMetering::kQueue, const BesideRings& beside = {}) {
    metering_ = std::make_unique<RingMetering>(options_, points_, runs_, clock_, queue, beside);
    running_ = metering_.get();
    metering_->run();
    metering_->drain();
  }
  // By the way of extract.
  void run_as_source() {
    source_ = std::make_unique<RingSource>(points_);
    metering_ = std::make_unique<CpuMetering>(options_, *source_, runs_, clock_);
    metering_->run();
    metering_->drain();
  }

  // While it runs.
  std::uint64_t metered() const {
    const MeteringProcess* const running = running_;
    return running ? running->running().frames : 0;
  }
  std::vector<Partial> ended() {
    const std::unique_ptr<RunStore> taken = runs_.take();
    return taken ? all_of(*taken->sorted(1)->in({})) : std::vector<Partial>();
  }

  // When it has ended: all that is left, in arrival order of each key.
  std::vector<Partial> partials() { return all_of(*runs_.sorted(1)->in({})); }
  const MeteringProcess& metering() const { return *metering_; }
  RingCounts counts() const {
    RingCounts sum;
    for (const RingCounts& one : points_.ring_counts()) {
      sum.received += one.received;
      sum.handed_over += one.handed_over;
      sum.hand_over_full += one.hand_over_full;
    }
    return sum;
  }

 private:
  static std::vector<std::unique_ptr<ObservationPoint>> listed(std::unique_ptr<FakePoint> point) {
    std::vector<std::unique_ptr<ObservationPoint>> points;
    points.push_back(std::move(point));
    return points;
  }

  const MeteringOptions options_;
  std::atomic<bool> stop_ = false;
  FakePoint& point_;
  ObservationPoints points_;
  RunStore runs_{{.folder = "/tmp", .order = arrival_order, .memory_limit = 64 << 20}};
  StageClock clock_;
  std::unique_ptr<RingSource> source_;
  std::unique_ptr<MeteringProcess> metering_;
  std::atomic<const MeteringProcess*> running_ = nullptr;  // the same, for other threads
};

// Waits, but not for ever.
template <class Condition>
void wait_until(const Condition& condition) {
  for (int i = 0; i < 20'000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(condition());
}

}  // namespace warpmeter::test
