#include "flow/meter/huge_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <new>

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kHugePage = 2 << 20;
// Of addresses: what is never touched takes no memory.
constexpr std::size_t kRegion = 64 << 20;

}  // namespace

HugePages::~HugePages() {
  for (const Region& region : regions_) munmap(region.mapped, region.bytes);
}

void HugePages::add_region(std::size_t room) {
  const std::size_t bytes = (room + kHugePage - 1) / kHugePage * kHugePage;
  const std::size_t with_margin = bytes + kHugePage;
  void* mapped = mmap(nullptr, with_margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  regions_.push_back({mapped, with_margin});
  void* begin = mapped;
  std::size_t left = with_margin;
  std::align(kHugePage, bytes, begin, left);
  madvise(begin, bytes, MADV_HUGEPAGE);  // without, it is only slower
  free_ = static_cast<std::byte*>(begin);
  room_ = bytes;
}

void* HugePages::do_allocate(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(mutex_);
  void* place = free_;
  if (!place || !std::align(alignment, bytes, place, room_)) {
    add_region(std::max(bytes, kRegion));
    place = free_;
  }
  free_ = static_cast<std::byte*>(place) + bytes;
  room_ -= bytes;
  return place;
}

}  // namespace warpmeter::inline flow
