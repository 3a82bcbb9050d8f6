// The merge: many sorted runs as one, through a min-heap that holds one partial of each.
#pragma once

#include <memory>
#include <vector>

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
  KeyPrefix prefix_of_head(const PartialCursor& run) const;
  bool before(const Entry& a, const Entry& b) const;
  void sift_down(std::size_t from);
  void show_first();

  const RecordOrder order_;
  std::vector<Entry> heap_;  // of runs that have not ended; the one with the least head first
};

}  // namespace warpmeter::inline flow
