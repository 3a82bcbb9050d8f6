// Another program that feeds packets through shared memory, as an Observation Point: shm:NAME. It may come at any time,
// and once; when it is gone, so is the point. Its rings are live rings.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/copied_frames.h"
#include "packet/nic/feeder/feeder_link.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

// Some of a feeder's rings as one live ring: all of them, or those that fall to it. A frame is copied out of the shared
// memory, where its feeder could still change it, before anybody looks into it.
//
// Threads: see Ring.
class FeederRingReader : public Ring {
 public:
  // The feeder's rings `number`, `number` + `of`, ...; `point`: its name.
  FeederRingReader(std::shared_ptr<FeederLink> link, std::string point, unsigned number, unsigned of);

  std::size_t size() const override { return pool_->size(); }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override;
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    give_frames(block, most, frames);
  }
  bool waits_for_lease() const override { return pool_->is_exhausted(); }
  std::chrono::milliseconds delay() const override { return std::chrono::milliseconds(0); }
  std::int64_t watermark_ns(std::int64_t now_ns) const override;
  void shut() override;
  void update_counts() override;
  RingCounts counts() const override;
  std::optional<double> fill() const override;  // of the fullest

 private:
  bool has_queues();
  bool take(CopiedFrames& frames);
  void note_passed_time();

  const std::shared_ptr<FeederLink> link_;
  const std::string point_;
  const unsigned number_, of_;
  const std::shared_ptr<CopiedFramesPool> pool_;
  std::vector<std::shared_ptr<FeederQueue>> queues_;  // stay as they are once `attached_`
  std::atomic<bool> attached_ = false;
  std::size_t turn_ = 0;
  bool shut_ = false;
  std::int64_t watermark_ns_ = FrameBlock::kNothingPassed;
  std::atomic<std::uint64_t> received_ = 0, ring_full_ = 0, times_full_ = 0;
};

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
