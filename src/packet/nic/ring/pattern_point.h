// All network interfaces whose names match a pattern as an Observation Point, whatever comes and goes. Its rings get
// the packets of all interfaces there are, so that none of a new one is lost; those of others are left out.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/ring/followed_interfaces.h"
#include "packet/nic/ring/interface_point.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/observation_points.h"

namespace warpmeter::inline packet {

class PatternPoint : public ObservationPoint {
 public:
  // `rings`: one or more, of these interfaces.
  PatternPoint(std::shared_ptr<FollowedInterfaces> interfaces, PacketRings rings);

  std::string name() const override { return interfaces_->pattern().word; }
  std::uint32_t observe_as(ObservedPoints& observed) override;
  std::string way() const override { return rings_.way; }
  std::size_t rings() const override { return rings_.rings.size(); }
  Ring& ring(std::size_t number) override { return *rings_.rings[number]; }
  void look(const Warn& warn) override;
  bool is_gone() const override { return false; }  // another one may come
  PointCounts counts() const override {
    return {.point = name(), .lost = lost_since_, .followed = interfaces_->counts()};
  }

 private:
  void tell_at_start(const Warn& warn) const;
  void look_at_losses();

  const std::shared_ptr<FollowedInterfaces> interfaces_;
  const PacketRings rings_;
  bool told_ = false;                          // what is to be said at first
  std::map<int, std::uint32_t> lost_;          // by each interface, as the system said last
  std::atomic<std::uint64_t> lost_since_ = 0;  // the capture began
};

// With so many rings of AF_PACKET. The filter of `options` is asked by whoever reads them, of Ethernet before that by
// the kernel, where that can be. Throws Error, also if frames of an interface that is there cannot be filtered.
std::unique_ptr<ObservationPoint> open_pattern_point(InterfacePattern pattern, unsigned rings,
                                                     const PacketRingOptions& options);

}  // namespace warpmeter::inline packet
