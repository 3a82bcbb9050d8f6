// The merge: many sorted runs as one, through a min-heap that holds one partial of each.
#pragma once

#include <memory>
#include <vector>

#include "run/run_cursor.h"

namespace warpmeter {

class RunMerger : public RunCursor {
 public:
  // All `runs` are in `order`, and so is what comes out.
  RunMerger(std::vector<std::unique_ptr<RunCursor>> runs, RecordOrder order);
  void advance() override;

 private:
  bool before(const RunCursor& a, const RunCursor& b) const;
  void sift_down(std::size_t from);
  void show_first();

  const RecordOrder order_;
  std::vector<std::unique_ptr<RunCursor>> heap_;  // of runs that have not ended; the one with the least head first
};

}  // namespace warpmeter
