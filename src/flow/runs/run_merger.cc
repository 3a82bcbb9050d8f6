#include "flow/runs/run_merger.h"

#include <utility>

#include "core/biflow_key.h"

namespace warpmeter::inline flow {

RunMerger::RunMerger(std::vector<std::unique_ptr<PartialCursor>> runs, RecordOrder order) : order_(order) {
  for (std::unique_ptr<PartialCursor>& run : runs) {
    if (run->head()) heap_.push_back({prefix_of_head(*run), std::move(run)});
  }
  for (std::size_t i = heap_.size() / 2; i-- > 0;) sift_down(i);
  show_first();
}

KeyPrefix RunMerger::prefix_of_head(const PartialCursor& run) const {
  return prefix_of(group_key(order_, *run.head()));
}

bool RunMerger::before(const Entry& a, const Entry& b) const {
  return a.prefix == b.prefix ? order_(*a.run->head(), *b.run->head()) < 0 : a.prefix < b.prefix;
}

void RunMerger::sift_down(std::size_t from) {
  for (std::size_t child = 2 * from + 1; child < heap_.size(); child = 2 * from + 1) {
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], heap_[from])) return;
    std::swap(heap_[child], heap_[from]);
    from = child;
  }
}

void RunMerger::show_first() { head_ = heap_.empty() ? nullptr : heap_.front().run->head(); }

void RunMerger::advance() {
  Entry& first = heap_.front();
  first.run->advance();
  if (first.run->head()) {
    first.prefix = prefix_of_head(*first.run);
  } else {
    std::swap(first, heap_.back());
    heap_.pop_back();
  }
  sift_down(0);
  show_first();
}

}  // namespace warpmeter::inline flow
