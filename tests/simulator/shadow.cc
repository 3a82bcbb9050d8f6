#include "simulator/shadow.h"

#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace cuda_machine {

// A page of zeros is a page of cells that nobody accessed.
static_assert(std::is_trivially_copyable_v<Cell>);

Shadow::Shadow(std::size_t bytes) : mapped_((bytes / kGranule + 1) * sizeof(Cell)) {
  void* const memory =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<Cell*>(memory);
}

Shadow::~Shadow() { munmap(cells_, mapped_); }

std::array<Cell, Shadow::kGranule>& Shadow::split_cell(std::size_t granule) {
  const auto [at, fresh] = split_.try_emplace(granule);
  if (fresh) at->second.fill(cells_[granule]);
  return at->second;
}

}  // namespace cuda_machine
