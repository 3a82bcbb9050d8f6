#include "simulator/stream_races.h"

#include <sys/mman.h>

#include <new>
#include <string>
#include <type_traits>

#include "simulator/finding.h"
#include "simulator/place.h"

namespace cuda_machine {
namespace {

// Says so, if nothing orders them.
void check(const StreamOrder& order, Work earlier, const char* did, Work now, const char* does) {
  if (earlier.number == 0 || order.ordered_before(earlier, now)) return;
  const auto words_of = [&](Work work) { return readable(std::string(order.what(work))); };
  report(Finding::race, words_of(now) + ' ' + does + " what " + words_of(earlier) + " in another stream has " + did +
                            ", and nothing orders them");
}

}  // namespace

WorkShadow::WorkShadow(std::size_t bytes) : mapped_((bytes / kGranule + 1) * sizeof(Cell)) {
  static_assert(std::is_trivially_copyable_v<Cell>);  // a page of zeros is a page of cells that nobody accessed
  void* const memory =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  cells_ = static_cast<Cell*>(memory);
}

WorkShadow::~WorkShadow() { munmap(cells_, mapped_); }

void WorkShadow::access(const StreamOrder& order, Work now, std::size_t offset, std::size_t bytes, bool writes) {
  for (std::size_t i = offset / kGranule; i <= (offset + bytes - 1) / kGranule; ++i) {
    if (writes) write(order, now, cells_[i]);
    else read(order, now, cells_[i]);
  }
}

void WorkShadow::read(const StreamOrder& order, Work now, Cell& cell) {
  if (cell.reads[0] == now) return;
  check(order, cell.write, "written", now, "reads");
  // Who comes after this one comes after those before it.
  if (cell.reads[0].number && !order.ordered_before(cell.reads[0], now)) cell.reads[1] = cell.reads[0];
  cell.reads[0] = now;
}

void WorkShadow::write(const StreamOrder& order, Work now, Cell& cell) {
  if (cell.write == now && cell.reads[0].number == 0) return;
  check(order, cell.write, "written", now, "writes");
  for (Work& earlier : cell.reads) {
    check(order, earlier, "read", now, "writes");
    earlier = {};
  }
  cell.write = now;
}

}  // namespace cuda_machine
