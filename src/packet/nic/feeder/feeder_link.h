// A feeder as its rings and the point of them share it: it has not come yet, it feeds, or it is gone. One in its life.
//
// Threads: any.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "core/thread_annotations.h"
#include "packet/nic/feeder/feeder_queue.h"
#include "packet/nic/feeder/feeder_socket.h"

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
