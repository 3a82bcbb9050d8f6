// The merge: many sorted runs as one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/merge/merge_heap.h"
#include "flow/runs/cursors.h"
#include "flow/runs/key_prefix.h"
#include "flow/runs/prefix_sort.h"

namespace warpmeter::inline flow {

class RunMerger : public PartialCursor {
 public:
  // All `runs` are in `order`, and so is what comes out.
  RunMerger(std::vector<std::unique_ptr<PartialCursor>> runs, RecordOrder order) : order_(order), heap_(Before{order}) {
    for (std::unique_ptr<PartialCursor>& run : runs) {
      if (run->head()) heap_.add({prefix_of_head(*run), std::move(run)});
    }
    show_first();
  }

  void advance() override {
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

 private:
  struct Entry {
    KeyPrefix prefix;  // of the head
    std::unique_ptr<PartialCursor> run;
  };
  struct Before {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.prefix == b.prefix ? order(*a.run->head(), *b.run->head()) < 0 : a.prefix < b.prefix;
    }
    RecordOrder order;
  };

  KeyPrefix prefix_of_head(const PartialCursor& run) const { return prefix_in(order_, *run.head()); }
  void show_first() { head_ = heap_.empty() ? nullptr : heap_.first().run->head(); }

  const RecordOrder order_;
  MergeHeap<Entry, Before> heap_;
};

}  // namespace warpmeter::inline flow
