// The CPUs of a live capture: its threads, the memory of its rings, and the interrupts of its cards' queues. Interrupts
// are put back with the end of this.
//
// Threads: one at a time; what begin_thread() gives is called by any.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "command/live/live.h"
#include "packet/nic/cpus/affinity.h"
#include "packet/nic/cpus/interrupt_affinity.h"
#include "packet/nic/ring/observation_points.h"

namespace warpmeter::inline command {

class CaptureCpus {
 public:
  explicit CaptureCpus(const LiveOptions& options);
  ~CaptureCpus();

  // For those who open points, which they add.
  CpuPlan& plan() { return plan_; }
  const CpuPlan& plan() const { return plan_; }

  // With --set-irq-affinity. Says what it changed. Throws Error.
  void move_interrupts(const ObservationPoints& points);

  // For ExtractOptions; this must outlive it.
  std::function<void(unsigned thread)> begin_thread() const;

 private:
  const LiveOptions& options_;
  CpuPlan plan_;
  std::vector<std::unique_ptr<InterruptAffinity>> interrupts_;
};

}  // namespace warpmeter::inline command
