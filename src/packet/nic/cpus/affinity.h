// Which CPUs the threads of a capture have: what users write, which there are, how a thread gets one, and the plan for
// all of a capture.
//
// Source: sched_setaffinity(2), cpuset(7) for lists.
//
// Threads: any, a CpuPlan by one at a time.
#pragma once

#include <sched.h>

#include <optional>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

using CpuList = std::vector<unsigned>;  // in the order in which they are used

// "0,2-5"; nothing if it is no list.
std::optional<CpuList> parse_cpu_list(const std::string& text);
std::string cpu_list_text(const CpuList& cpus);

// What --affinity says.
struct Affinity {
  enum class Of { off, automatic, list };
  Of of = Of::off;
  CpuList list = {};
};

// Throws Error (usage): it is none of auto, off and a list, or the list has a CPU that this process may not use.
Affinity parse_affinity(const std::string& text);

// That this thread, and so this process at its start, may use.
CpuList allowed_cpus();

// The NUMA node of a network interface's card; nothing where there is one only, or no card. `sys`: where sysfs is.
std::optional<unsigned> numa_node_of(const std::string& interface, const std::string& sys = "/sys");

// CPUs of that node that this process may use; all that it may use where that is none.
CpuList cpus_near(const std::string& interface, const std::string& sys = "/sys");

// From now on this thread runs there alone. What memory it touches first is near to it. False: errno tells why.
bool pin_this_thread(unsigned cpu);

// Of ring `ring`: cpus[ring modulo their number]; nothing if there are none.
std::optional<unsigned> cpu_of_ring(const CpuList& cpus, std::size_t ring);

// This thread has the CPU, if any is given, for as long as this lives; then those that it had before.
class PinnedForNow {
 public:
  explicit PinnedForNow(std::optional<unsigned> cpu);
  ~PinnedForNow();
  PinnedForNow(const PinnedForNow&) = delete;
  PinnedForNow& operator=(const PinnedForNow&) = delete;

 private:
  cpu_set_t before_;
  bool known_;
};

// Which CPU each thread of a capture has, and so each ring: ring r, counted over all Observation Points, is that of
// thread r modulo the number of threads.
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
