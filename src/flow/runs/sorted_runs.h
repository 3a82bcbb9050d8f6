// All partials of a run store in order: runs in memory, live flows and run files, of which any number of threads may
// read ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "flow/runs/live_run.h"
#include "flow/runs/run_file.h"
#include "flow/runs/sorted_run.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// All whose keys (of both directions, where the order has these together) lie from `first` to before `end`; without
// them from the beginning, to the end.
struct KeyRange {
  std::optional<FlowKey> first, end;
};

class SortedRuns {
 public:
  SortedRuns(std::vector<std::shared_ptr<const SortedRun>> in_memory, std::vector<std::shared_ptr<const LiveRun>> live,
             std::vector<std::shared_ptr<const RunFile>> files, RecordOrder order);

  std::uint64_t size() const;  // partials
  std::size_t files() const { return files_.size(); }

  // All partials, cut between keys into at most `most` ranges of about as many. At least one range; one of
  // interval_order, where keys do not lie together.
  std::vector<KeyRange> cut(std::size_t most) const;

  // The partials of a range. From any thread.
  std::unique_ptr<PartialCursor> in(const KeyRange& range) const;

 private:
  template <class Run>
  std::uint64_t first_not_before(const Run& run, const std::optional<FlowKey>& key, std::uint64_t otherwise) const;
  template <class Run>
  void sample(const Run& run, std::uint64_t step, std::vector<FlowKey>& keys) const;

  const std::vector<std::shared_ptr<const SortedRun>> in_memory_;
  const std::vector<std::shared_ptr<const LiveRun>> live_;
  const std::vector<std::shared_ptr<const RunFile>> files_;
  const RecordOrder order_;
};

}  // namespace warpmeter::inline flow
