// Where packets are observed (RFC 7011, section 2): a network interface, a feeder, a card. And all Observation Points
// of a capture, with its end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/observed_points.h"
#include "core/thread_annotations.h"
#include "packet/nic/ring/ring.h"
#include "packet/nic/ring/ring_counts.h"

namespace warpmeter::inline packet {

using Warn = std::function<void(const std::string& text)>;  // one line for people, without its end

// It has one ring or more, which share its packets: each packet goes to one of them.
//
// Threads: one at a time, but for what Ring says. counts() and is_gone() by any.
class ObservationPoint {
 public:
  ObservationPoint() = default;
  virtual ~ObservationPoint() = default;
  ObservationPoint(const ObservationPoint&) = delete;
  ObservationPoint& operator=(const ObservationPoint&) = delete;

  virtual std::string name() const = 0;  // as the user gave it: "eth0", "shm:feeder"

  virtual int interface_index() const { return 0; }  // as the system numbers it; 0: it is no network interface

  // Gets a number there, for packets of which it tells none of their own (Frame::point).
  virtual std::uint32_t observe_as(ObservedPoints& observed) {
    return observed.add(name(), static_cast<std::uint32_t>(interface_index()));
  }

  // Which way its packets come, and why: "AF_PACKET, 2 rings of 64 MiB".
  virtual std::string way() const = 0;

  virtual std::size_t rings() const = 0;
  virtual Ring& ring(std::size_t number) = 0;

  // Something changed perhaps: asked about once a second. Says in one line what its users should hear about.
  virtual void look(const Warn& warn) = 0;

  // It will never give packets again: the interface was removed, the feeder ended. What is in its rings is there still.
  virtual bool is_gone() const = 0;

  // Why, for people. REQUIRES: is_gone(), and not as expected.
  virtual std::string why_gone() const { return "the interface is gone"; }

  // That was to be expected: a feeder said that it ended. A capture from it ends well.
  virtual bool ended_well() const { return false; }

  // Packets that were lost before they came to any ring.
  virtual PointCounts counts() const = 0;
};

// All of a capture, and when it ends: when it is told to, after a time, or when all of them are gone.
//
// Threads: any, at once.
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
  // One line for each point that is gone and should not be, of which look() has told.
  std::vector<std::string> gone() const;

 private:
  void look_at_points();  // REQUIRES: look_ is held.

  const std::vector<std::unique_ptr<ObservationPoint>> points_;
  std::vector<Ring*> rings_;
  const std::chrono::nanoseconds duration_;
  const Warn warn_;
  const std::atomic<bool>& stop_;
  std::atomic<Clock::time_point> start_;
  std::atomic<bool> ended_ = false;
  std::atomic<Clock::rep> next_look_ = 0;
  std::mutex look_;                                          // held by who looks: points have one at a time
  std::vector<bool> told_gone_ WARPMETER_GUARDED_BY(look_);  // a point each
};

}  // namespace warpmeter::inline packet
