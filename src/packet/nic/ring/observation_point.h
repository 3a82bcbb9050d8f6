// Where packets are observed (RFC 7011, section 2): a network interface, a feeder, a card. It has one ring or more,
// which share its packets: each packet goes to one of them.
//
// Threads: one at a time, but for what Ring says. counts() and is_gone() by any.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "core/observed_points.h"
#include "packet/nic/ring/ring.h"
#include "packet/nic/ring/ring_counts.h"

namespace warpmeter::inline packet {

using Warn = std::function<void(const std::string& text)>;  // one line for people, without its end

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

}  // namespace warpmeter::inline packet
