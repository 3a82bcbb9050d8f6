#include "packet/nic/bpf/bpf_wake.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <system_error>

#include "packet/nic/bpf/bpf_object.h"

namespace warpmeter::inline packet {
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
