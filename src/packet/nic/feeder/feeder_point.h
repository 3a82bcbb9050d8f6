// Another program that feeds packets through shared memory, as an Observation Point: shm:NAME. It may come at any time,
// and once; when it is gone, so is the point.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/feeder_link.h"
#include "packet/nic/ring/observation_point.h"

namespace warpmeter::inline packet {

class FeederPoint : public ObservationPoint {
 public:
  // `rings`: between how many its rings are shared out. Throws Error: a bad name, or another meter has it.
  FeederPoint(const std::string& feeder, unsigned rings);

  std::string name() const override { return name_; }
  std::string way() const override;
  std::size_t rings() const override { return rings_.size(); }
  Ring& ring(std::size_t number) override { return *rings_[number]; }
  void look(const Warn& warn) override;
  bool is_gone() const override { return link_->is_gone(); }
  bool ended_well() const override { return link_->ended_well(); }
  std::string why_gone() const override { return link_->why_gone(); }
  PointCounts counts() const override { return {.point = name_, .lost = missed_}; }

 private:
  void look_for_signs_of_life(const Warn& warn);

  const std::string name_;
  const std::shared_ptr<FeederLink> link_;
  std::vector<std::unique_ptr<Ring>> rings_;
  bool looked_ = false, silent_ = false;
  std::atomic<std::uint64_t> missed_ = 0;
};

}  // namespace warpmeter::inline packet
