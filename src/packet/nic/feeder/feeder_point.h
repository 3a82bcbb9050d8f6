// Another program that feeds packets through shared memory, as an Observation Point: shm:NAME. It may come at any time,
// and once; when it is gone, so is the point. Its rings are live rings.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "core/thread_annotations.h"
#include "packet/nic/feeder/copied_frames.h"
#include "packet/nic/feeder/feeder_queue.h"
#include "packet/nic/feeder/feeder_socket.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

// A feeder as its rings and the point of them share it: it has not come yet, it feeds, or it is gone. One in its life.
//
// Threads: any.
class FeederLink {
 public:
  // Waits for the feeder of shm:NAME from now on. Throws Error.
  explicit FeederLink(const std::string& name);

  // Sees whether the feeder has come, or has gone. Does nothing if somebody else does that just now.
  void attend();

  bool has_come() const { return has_come_.load(std::memory_order_acquire); }
  bool is_gone() const { return is_gone_.load(std::memory_order_acquire); }
  bool ended_well() const { return ended_well_; }

  // REQUIRES: has_come(). A queue is one thread's at a time.
  const std::vector<std::shared_ptr<FeederQueue>>& queues() const { return queues_; }

  // As if it were gone: one of its rings is damaged.
  void end(const std::string& why);

  std::string why_gone() const;          // REQUIRES: is_gone()
  std::vector<std::string> take_news();  // lines for users, without the name

 private:
  // REQUIRES, of these: mutex_ is held.
  void welcome();
  void take_rings(const FeederOffer& offer);
  void turn_away_others();
  void see_whether_it_is_there();
  void set_gone(const std::string& why, bool well);

  mutable std::mutex mutex_;
  FeederSocket socket_ WARPMETER_GUARDED_BY(mutex_);
  Descriptor connection_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<FeederQueue>> queues_;  // set before has_come_, and never again
  std::vector<std::string> news_ WARPMETER_GUARDED_BY(mutex_);
  std::string last_refusal_ WARPMETER_GUARDED_BY(mutex_), why_gone_ WARPMETER_GUARDED_BY(mutex_);
  std::atomic<bool> has_come_ = false, is_gone_ = false, ended_well_ = false;
};

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
