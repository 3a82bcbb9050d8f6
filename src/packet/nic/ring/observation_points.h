// All Observation Points of a capture, and when it ends: when it is told to, after a time, or when all of them are
// gone.
//
// Threads: any, at once.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/observed_points.h"
#include "packet/nic/ring/observation_point.h"

namespace warpmeter::inline packet {

class ObservationPoints {
 public:
  using Clock = std::chrono::steady_clock;

  // Captures for `duration` from now on, or from begin() (0: until `stop`, which must outlive this). Each has another
  // name.
  ObservationPoints(std::vector<std::unique_ptr<ObservationPoint>> points, std::chrono::nanoseconds duration, Warn warn,
                    const std::atomic<bool>& stop);

  // All rings, those of a point behind each other. A ring is one thread's at a time.
  const std::vector<Ring*>& rings() const { return rings_; }

  // Names all points there, and tells their rings which they are. Before anybody reads these.
  void observe_as(ObservedPoints& observed);

  // All frames of all rings have passed the capture filter.
  bool filter() const;

  bool ends() const { return duration_.count() > 0; }
  void begin() { start_ = Clock::now(); }
  bool wants_to_stop() const;

  // As if it had been told to stop.
  void end() { ended_ = true; }

  // Looks after all points where that is due, once a second, and nobody else does just now.
  void look_when_due();
  // Looks now: before counts are asked for.
  void look();

  // poll(2) told of an error of this ring.
  void look_after(Ring& ring);

  std::string description() const;              // points and the ways of their packets, for people
  std::vector<RingCounts> ring_counts() const;  // with what the rings themselves do not count
  std::vector<PointCounts> point_counts() const;
  // One line for each point that is gone and should not be.
  std::vector<std::string> gone() const;

 private:
  void look_at_points();

  const std::vector<std::unique_ptr<ObservationPoint>> points_;
  std::vector<Ring*> rings_;
  const std::chrono::nanoseconds duration_;
  const Warn warn_;
  const std::atomic<bool>& stop_;
  std::atomic<Clock::time_point> start_;
  std::atomic<bool> ended_ = false;
  std::atomic<Clock::rep> next_look_ = 0;
  std::mutex look_;              // held by who looks
  std::vector<bool> told_gone_;  // a point each
};

}  // namespace warpmeter::inline packet
