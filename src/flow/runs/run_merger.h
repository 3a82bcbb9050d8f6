// The merge: many sorted runs as one.
#pragma once

#include <memory>
#include <vector>

#include "base/merge/merge_heap.h"
#include "flow/runs/cursors.h"
#include "flow/runs/key_prefix.h"

namespace warpmeter::inline flow {

class RunMerger : public PartialCursor {
 public:
  // All `runs` are in `order`, and so is what comes out.
  RunMerger(std::vector<std::unique_ptr<PartialCursor>> runs, RecordOrder order);
  void advance() override;

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
  KeyPrefix prefix_of_head(const PartialCursor& run) const;
  void show_first();

  const RecordOrder order_;
  MergeHeap<Entry, Before> heap_;
};

}  // namespace warpmeter::inline flow
