// The interrupts of a card's queues, each on the CPU of its ring, for as long as a capture runs.
//
// Source: the kernel's Documentation/core-api/irq/irq-affinity.rst; sysfs-bus-pci (msi_irqs).
//
// Threads: one at a time.
#pragma once

#include <string>
#include <vector>

#include "packet/nic/cpus/affinity.h"

namespace warpmeter::inline packet {

struct QueueInterrupt {
  unsigned number;   // of the interrupt
  std::string name;  // as its driver calls it: "eth0-TxRx-3"
  unsigned queue;    // that receives
  std::string cpus;  // that it may come to, a list
};

// Those of this interface, by queue; none if it has no card or its driver calls them what nobody knows. `sys`, `proc`:
// where sysfs and procfs are.
std::vector<QueueInterrupt> queue_interrupts(const std::string& interface, const std::string& sys = "/sys",
                                             const std::string& proc = "/proc");

// The queue of a name like eth0-TxRx-3, virtio0-input.3 or mlx5_comp3@pci:0000:01:00.0; nothing if it is no interrupt
// of a queue that receives.
std::optional<unsigned> queue_of_interrupt(const std::string& name);

class InterruptAffinity {
 public:
  // Queue q to the CPU of ring q, which is cpus[q modulo their number]. Throws Error: there are none, or they cannot be
  // moved; then none has been.
  InterruptAffinity(const std::string& interface, const CpuList& cpus, const std::string& sys = "/sys",
                    const std::string& proc = "/proc");
  ~InterruptAffinity() { put_back(); }
  InterruptAffinity(const InterruptAffinity&) = delete;
  InterruptAffinity& operator=(const InterruptAffinity&) = delete;

  // What was changed, for people; empty if nothing had to be.
  const std::vector<std::string>& changes() const { return changes_; }

  // To where they were. What could not be, for people.
  std::vector<std::string> put_back();

 private:
  const std::string proc_;
  std::vector<QueueInterrupt> moved_;
  std::vector<std::string> changes_;
};

}  // namespace warpmeter::inline packet
