// Which CPU each thread of a capture has, and so each ring: ring r, counted over all Observation Points, is that of
// thread r modulo the number of threads.
//
// Threads: one at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "packet/nic/cpus/affinity.h"

namespace warpmeter::inline packet {

class CpuPlan {
 public:
  CpuPlan(Affinity affinity, unsigned threads);

  // Of the rings of the next point: ring i has the one at i modulo their number. None: any. Of a list thread t has CPU
  // t; `auto` takes those of the NUMA node of the point's card, if it is an interface, one after another.
  CpuList of_next(const std::string& point) const;

  // It has so many rings.
  void add(const std::string& point, std::size_t rings);

  // Of a thread without rings, too, once all points have been added.
  std::optional<unsigned> of_thread(unsigned thread) const;

 private:
  const Affinity affinity_;
  const CpuList allowed_ = allowed_cpus();  // before any thread has one
  std::vector<std::optional<unsigned>> of_threads_;
  std::size_t rings_ = 0;
};

}  // namespace warpmeter::inline packet
