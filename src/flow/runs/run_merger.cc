#include "flow/runs/run_merger.h"

#include <utility>

#include "flow/runs/prefix_sort.h"

namespace warpmeter::inline flow {

RunMerger::RunMerger(std::vector<std::unique_ptr<PartialCursor>> runs, RecordOrder order)
    : order_(order), heap_(Before{order}) {
  for (std::unique_ptr<PartialCursor>& run : runs) {
    if (run->head()) heap_.add({prefix_of_head(*run), std::move(run)});
  }
  show_first();
}

KeyPrefix RunMerger::prefix_of_head(const PartialCursor& run) const { return prefix_in(order_, *run.head()); }

void RunMerger::show_first() { head_ = heap_.empty() ? nullptr : heap_.first().run->head(); }

void RunMerger::advance() {
  Entry& first = heap_.first();
  first.run->advance();
  if (first.run->head()) {
    first.prefix = prefix_of_head(*first.run);
    heap_.first_changed();
  } else {
    heap_.drop_first();
  }
  show_first();
}

}  // namespace warpmeter::inline flow
