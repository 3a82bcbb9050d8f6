#include "packet/nic/bpf/bpf_counter.h"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kCacheLine = 64;

// By the highest number. The file has "0-3", or "0,2-5".
std::uint32_t possible_cpus() {
  std::string text;
  std::ifstream("/sys/devices/system/cpu/possible") >> text;
  const std::size_t last = text.find_last_of(",-");
  try {
    return static_cast<std::uint32_t>(std::stoul(last == std::string::npos ? text : text.substr(last + 1)) + 1);
  } catch (const std::logic_error&) {
    throw std::system_error(ENOENT, std::generic_category(), "CPUs are not known (/sys/devices/system/cpu/possible)");
  }
}

}  // namespace

BpfCounter::BpfCounter(const std::string& name, std::uint32_t places, std::uint32_t apart)
    : array_(name, apart, places, BpfArray::Access::read), places_(places), apart_(apart) {}

BpfCounter BpfCounter::of_cpus(const std::string& name) { return {name, possible_cpus(), kCacheLine}; }

std::uint64_t BpfCounter::sum() const {
  auto* const counts = static_cast<std::uint64_t*>(array_.memory());
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < places_; ++place) {
    sum += std::atomic_ref(counts[place * apart_ / sizeof *counts]).load(std::memory_order_relaxed);
  }
  return sum;
}

}  // namespace warpmeter::inline packet
