#include "run/run_merger.h"

#include <algorithm>
#include <utility>

namespace warpmeter {

RunMerger::RunMerger(std::vector<std::unique_ptr<RunCursor>> runs, RecordOrder order)
    : order_(order), heap_(std::move(runs)) {
  std::erase_if(heap_, [](const auto& run) { return run->head() == nullptr; });
  for (std::size_t i = heap_.size() / 2; i-- > 0;) sift_down(i);
  show_first();
}

bool RunMerger::before(const RunCursor& a, const RunCursor& b) const { return order_(*a.head(), *b.head()) < 0; }

void RunMerger::sift_down(std::size_t from) {
  for (std::size_t child = 2 * from + 1; child < heap_.size(); child = 2 * from + 1) {
    if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
    if (!before(*heap_[child], *heap_[from])) return;
    std::swap(heap_[child], heap_[from]);
    from = child;
  }
}

void RunMerger::show_first() { head_ = heap_.empty() ? nullptr : heap_.front()->head(); }

void RunMerger::advance() {
  heap_.front()->advance();
  if (!heap_.front()->head()) {
    std::swap(heap_.front(), heap_.back());
    heap_.pop_back();
  }
  sift_down(0);
  show_first();
}

}  // namespace warpmeter
