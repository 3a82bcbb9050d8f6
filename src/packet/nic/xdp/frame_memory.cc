#include "packet/nic/xdp/frame_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <new>

namespace warpmeter::inline packet {
namespace {

constexpr std::size_t kHugePage = 2 << 20;

}  // namespace

// Touched here, before the kernel pins it, by the thread that is to read it: so it is near to that one.
FrameMemory::FrameMemory(std::size_t chunks, std::size_t chunk) : chunks_(chunks), chunk_(chunk) {
  mapped_ = mmap(nullptr, bytes() + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped_ == MAP_FAILED) throw std::bad_alloc();
  void* begin = mapped_;
  std::size_t left = bytes() + kHugePage;
  std::align(kHugePage, bytes(), begin, left);
  begin_ = static_cast<std::uint8_t*>(begin);
  madvise(begin_, bytes(), MADV_HUGEPAGE);  // without, it is only slower
  std::memset(begin_, 0, bytes());
}

FrameMemory::~FrameMemory() { munmap(mapped_, bytes() + kHugePage); }

}  // namespace warpmeter::inline packet
