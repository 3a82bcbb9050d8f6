#include "command/live/capture_cpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/program/messages.h"
#include "command/live/open_points.h"

namespace warpmeter::inline command {
namespace {

// Where each ring has a thread of its own, there are as many as may be opened.
constexpr unsigned kMostOwners = 256;

unsigned threads_of(const LiveOptions& options) {
  return options.thread_a_ring ? kMostOwners : options.extract.threads;
}

}  // namespace

CaptureCpus::CaptureCpus(const LiveOptions& options)
    : options_(options), plan_(options.affinity, threads_of(options)) {}

CaptureCpus::~CaptureCpus() {
  for (const auto& interrupts : interrupts_) {
    for (const std::string& stays : interrupts->put_back()) warn(stays);
  }
}

void CaptureCpus::move_interrupts(const ObservationPoints& points) {
  if (!options_.set_irq_affinity) return;
  const std::vector<RingCounts> rings = points.ring_counts();
  CpuPlan plan(options_.affinity, threads_of(options_));
  for (const std::string& point : options_.interfaces) {
    const auto count = static_cast<std::size_t>(std::ranges::count(rings, point, &RingCounts::point));
    const CpuList cpus = plan.of_next(point);
    CpuList of_rings;
    for (std::size_t ring = 0; ring < count; ++ring) of_rings.push_back(*cpu_of_ring(cpus, ring));
    plan.add(point, count);
    if (source_kind_of(point) != SourceKind::network) continue;  // it has no queues of a card
    interrupts_.push_back(std::make_unique<InterruptAffinity>(point, of_rings));
    if (options_.extract.quiet) continue;
    for (const std::string& change : interrupts_.back()->changes()) say("warpmeter: " + change + ", until the end\n");
  }
}

std::function<void(unsigned thread)> CaptureCpus::begin_thread() const {
  if (options_.affinity.of == Affinity::Of::off) return {};
  return [this](unsigned thread) {
    const auto cpu = plan_.of_thread(thread);
    if (cpu && !pin_this_thread(*cpu))
      warn(fmt::format("thread {} is not on CPU {}: {}", thread, *cpu, std::strerror(errno)));
  };
}

}  // namespace warpmeter::inline command
