#include "packet/nic/bpf/bpf_maps.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "packet/nic/bpf/bpf_object.h"

namespace warpmeter::inline packet {
namespace {

void* mapped(int map, std::size_t bytes, BpfArray::Access access) {
  const int writes = access == BpfArray::Access::write ? PROT_WRITE : 0;
  void* const at = mmap(nullptr, bytes, PROT_READ | writes, MAP_SHARED, map, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "a BPF map cannot be read");
  return at;
}

}  // namespace

BpfArray::BpfArray(const std::string& name, std::uint32_t bytes, std::uint32_t entries, Access access)
    : map_(make_map(name, {.value_bytes = bytes, .entries = entries, .flags = BPF_F_MMAPABLE})),
      size_(std::size_t{bytes} * entries),
      memory_(mapped(map_.get(), size_, access)) {}

BpfArray::~BpfArray() { munmap(memory_, size_); }

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

namespace {

constexpr std::uint32_t kMost = 65'536;

}  // namespace

BpfInterfaces::BpfInterfaces(const std::string& name)
    : array_(name, sizeof(std::uint64_t), kMost, BpfArray::Access::write) {}

void BpfInterfaces::set(int interface, std::uint64_t value) {
  if (interface <= 0 || static_cast<std::uint32_t>(interface) >= kMost) return;
  auto& entry = static_cast<std::uint64_t*>(array_.memory())[interface];
  std::atomic_ref(entry).store(value, std::memory_order_relaxed);
}

namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Two pages with what each side says of its place, then the records.
void* mapped_page(int map, std::size_t number, int rights) {
  const std::size_t bytes = page_bytes();
  void* const at = mmap(nullptr, bytes, rights, MAP_SHARED, map, static_cast<off_t>(number * bytes));
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "a BPF ring buffer cannot be read");
  return at;
}

}  // namespace

BpfWake::BpfWake(const std::string& name)
    : map_(make_map(
          name, {.type = BPF_MAP_TYPE_RINGBUF, .value_bytes = 0, .entries = static_cast<std::uint32_t>(page_bytes())})),
      page_(page_bytes()),
      consumed_(static_cast<std::uint64_t*>(mapped_page(map_.get(), 0, PROT_READ | PROT_WRITE))),
      produced_(static_cast<const std::uint64_t*>(mapped_page(map_.get(), 1, PROT_READ))) {}

BpfWake::~BpfWake() {
  munmap(consumed_, page_);
  munmap(const_cast<std::uint64_t*>(produced_), page_);
}

void BpfWake::forget() {
  const std::uint64_t produced = __atomic_load_n(produced_, __ATOMIC_ACQUIRE);
  std::atomic_ref(*consumed_).store(produced, std::memory_order_release);
}

}  // namespace warpmeter::inline packet
