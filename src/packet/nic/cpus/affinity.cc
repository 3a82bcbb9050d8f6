#include "packet/nic/cpus/affinity.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <utility>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

std::optional<unsigned> parse_cpu(std::string_view text) {
  unsigned cpu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc() || end != text.data() + text.size() || cpu >= CPU_SETSIZE) return {};
  return cpu;
}

std::string line_of(const std::string& file) {
  std::string line;
  std::ifstream in(file);
  std::getline(in, line);
  return line;
}

}  // namespace

std::optional<CpuList> parse_cpu_list(const std::string& text) {
  CpuList cpus;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = parse_cpu(part.substr(0, dash));
    const auto last = dash == part.size() ? first : parse_cpu(part.substr(dash + 1));
    if (!first || !last || *last < *first) return {};
    for (unsigned cpu = *first; cpu <= *last; ++cpu) {
      if (std::ranges::find(cpus, cpu) == cpus.end()) cpus.push_back(cpu);
    }
    at = end + 1;
  }
  return cpus;
}

std::string cpu_list_text(const CpuList& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text.append(1, last > i + 1 ? '-' : ',').append(std::to_string(cpus[last]));
    i = last;
  }
  return text;
}

Affinity parse_affinity(const std::string& text) {
  if (text == "off") return {};
  if (text == "auto") return {Affinity::Of::automatic};
  const std::optional<CpuList> list = parse_cpu_list(text);
  if (!list) {
    throw Error("--affinity '" + printable(text) + "': auto, off, or CPUs like 0,2-5", ExitStatus::usage);
  }
  const CpuList allowed = allowed_cpus();
  for (const unsigned cpu : *list) {
    if (std::ranges::find(allowed, cpu) != allowed.end()) continue;
    throw Error(
        "--affinity: CPU " + std::to_string(cpu) + " is not for this process; these are: " + cpu_list_text(allowed),
        ExitStatus::usage);
  }
  return {Affinity::Of::list, *list};
}

CpuList allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  CpuList cpus;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Of a virtio device the card is one further up.
std::optional<unsigned> numa_node_of(const std::string& interface, const std::string& sys) {
  for (const char* const card : {"/device", "/device/.."}) {
    const std::string line = line_of(sys + "/class/net/" + interface + card + "/numa_node");
    if (const auto node = parse_cpu(line)) return node;  // -1: there is one only
  }
  return {};
}

CpuList cpus_near(const std::string& interface, const std::string& sys) {
  CpuList cpus = allowed_cpus();
  const auto node = numa_node_of(interface, sys);
  if (!node) return cpus;
  const auto of_node = parse_cpu_list(line_of(sys + "/devices/system/node/node" + std::to_string(*node) + "/cpulist"));
  if (!of_node) return cpus;
  CpuList near = cpus;
  std::erase_if(near, [&](unsigned cpu) { return std::ranges::find(*of_node, cpu) == of_node->end(); });
  return near.empty() ? cpus : near;
}

bool pin_this_thread(unsigned cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

std::optional<unsigned> cpu_of_ring(const CpuList& cpus, std::size_t ring) {
  return cpus.empty() ? std::nullopt : std::optional(cpus[ring % cpus.size()]);
}

PinnedForNow::PinnedForNow(std::optional<unsigned> cpu)
    : known_(cpu && sched_getaffinity(0, sizeof before_, &before_) == 0) {
  if (cpu) pin_this_thread(*cpu);
}

PinnedForNow::~PinnedForNow() {
  if (known_) sched_setaffinity(0, sizeof before_, &before_);
}

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
