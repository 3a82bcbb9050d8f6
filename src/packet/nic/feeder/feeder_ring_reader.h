// Some of a feeder's rings as one live ring: all of them, or those that fall to it. A frame is copied out of the shared
// memory, where its feeder could still change it, before anybody looks into it.
//
// Threads: see Ring.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/copied_frames.h"
#include "packet/nic/feeder/feeder_link.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

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
  std::int64_t passed_ns(std::int64_t now_ns) const override;
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
  std::int64_t passed_ns_ = FrameBlock::kNothingPassed;
  std::atomic<std::uint64_t> received_ = 0, ring_full_ = 0, times_full_ = 0;
};

}  // namespace warpmeter::inline packet
