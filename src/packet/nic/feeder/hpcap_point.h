// A card that HP-CAP's driver reads, as an Observation Point: hpcap:ADAPTER, a ring for each of its queues.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/hpcap_ring.h"
#include "packet/nic/ring/observation_point.h"

namespace warpmeter::inline packet {

class HpcapPoint : public ObservationPoint {
 public:
  // `devices`: the queues, one or more. Throws Error.
  HpcapPoint(std::string name, std::vector<std::unique_ptr<HpcapDevice>> devices);

  std::string name() const override { return name_; }
  std::string way() const override;
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn& warn) override;
  bool is_gone() const override { return end_->was_said(); }
  std::string why_gone() const override { return end_->why(); }
  // At least so many: the driver does not see all.
  PointCounts counts() const override { return {.point = name_, .lost = lost_since_, .at_least = true}; }

 private:
  const std::string name_;
  const std::shared_ptr<HpcapEnd> end_;
  std::vector<std::unique_ptr<HpcapRing>> rings_;
  std::uint64_t lost_ = 0;                     // as the driver said last
  std::atomic<std::uint64_t> lost_since_ = 0;  // the capture began
};

// Of the word hpcap:ADAPTER, `adapter` is what stands behind the colon. Throws Error with one line.
std::unique_ptr<ObservationPoint> open_hpcap_point(const std::string& adapter);

}  // namespace warpmeter::inline packet
