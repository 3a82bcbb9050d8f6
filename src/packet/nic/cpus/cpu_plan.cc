#include "packet/nic/cpus/cpu_plan.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {

CpuPlan::CpuPlan(Affinity affinity, unsigned threads) : affinity_(std::move(affinity)), of_threads_(threads) {
  if (affinity_.of != Affinity::Of::list) return;
  for (std::size_t i = 0; i < of_threads_.size(); ++i) of_threads_[i] = affinity_.list[i % affinity_.list.size()];
}

namespace {

// The one that the fewest threads have.
unsigned freest_of(const CpuList& cpus, const std::vector<std::optional<unsigned>>& of_threads) {
  return *std::ranges::min_element(cpus, {}, [&](unsigned cpu) { return std::ranges::count(of_threads, cpu); });
}

}  // namespace

CpuList CpuPlan::of_next(const std::string& point) const {
  if (affinity_.of == Affinity::Of::off) return {};
  const CpuList near = cpus_near(point);
  std::vector<std::optional<unsigned>> of_threads = of_threads_;
  CpuList cpus;
  for (std::size_t i = 0; i < of_threads.size(); ++i) {
    std::optional<unsigned>& cpu = of_threads[(rings_ + i) % of_threads.size()];
    if (!cpu) cpu = freest_of(near, of_threads);
    cpus.push_back(*cpu);
  }
  return cpus;
}

void CpuPlan::add(const std::string& point, std::size_t rings) {
  const CpuList cpus = of_next(point);
  for (std::size_t i = 0; i < std::min(rings, cpus.size()); ++i)
    of_threads_[(rings_ + i) % of_threads_.size()] = cpus[i];
  rings_ += rings;
}

std::optional<unsigned> CpuPlan::of_thread(unsigned thread) const {
  if (affinity_.of == Affinity::Of::off) return {};
  std::vector<std::optional<unsigned>> of_threads = of_threads_;
  const CpuList allowed = allowed_;
  for (std::optional<unsigned>& cpu : of_threads) {
    if (!cpu) cpu = freest_of(allowed, of_threads);
  }
  return of_threads[thread % of_threads.size()];
}

}  // namespace warpmeter::inline packet
