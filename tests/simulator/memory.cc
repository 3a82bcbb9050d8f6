#include "simulator/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "simulator/settings.h"
#include "simulator/shadow.h"
#include "simulator/stream_races.h"

namespace cuda_machine {
namespace {

constexpr std::size_t kMostShadowed = 64 << 20;  // bytes of an allocation whose races are checked
constexpr std::size_t kMostFilled = 4 << 20;     // beyond, new memory is zeros: filling gigabytes takes too long

// Zeros that take room only where they are touched.
std::uint8_t* mapped(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::uint8_t*>(memory);
}

}  // namespace

Allocation::Allocation(std::uint64_t address, std::size_t bytes)
    : address_(address), bytes_(bytes), data_(mapped(bytes)), owns_(true) {
  if (settings().check_unwritten) written_ = mapped(bytes);
  if (settings().check_races != Races::none && bytes <= kMostShadowed) {
    shadow_ = std::make_unique<Shadow>(bytes);
    work_shadow_ = std::make_unique<WorkShadow>(bytes);
  }
  for (std::size_t i = 0; i < std::min(bytes, kMostFilled); ++i) data_[i] = static_cast<std::uint8_t>(0xc3 + i * 7);
}

Allocation::Allocation(std::uint8_t* host, std::size_t bytes)
    : address_(reinterpret_cast<std::uint64_t>(host)), bytes_(bytes), data_(host) {}

Allocation::~Allocation() {
  if (owns_) munmap(data_, bytes_);
  if (written_) munmap(written_, bytes_);
}

Allocation* AddressSpace::find(std::uint64_t address) const {
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return nullptr;
  --at;
  return at->second->has(address, 1) ? at->second.get() : nullptr;
}

bool AddressSpace::any_in(std::uint64_t address, std::size_t bytes) const {
  const auto behind = allocations_.lower_bound(address + bytes);
  if (behind == allocations_.begin()) return false;
  const Allocation& last = *std::prev(behind)->second;
  return last.address() + last.bytes() > address;
}

Allocation& AddressSpace::add(std::unique_ptr<Allocation> allocation) {
  auto& place = allocations_[allocation->address()];
  place = std::move(allocation);
  return *place;
}

bool AddressSpace::remove(std::uint64_t address) { return allocations_.erase(address) != 0; }

}  // namespace cuda_machine
