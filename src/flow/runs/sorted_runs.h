// All partials of a run store in order: runs in memory, live flows and run files, of which any number of threads may
// read ranges.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/merge/merge_heap.h"
#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "flow/runs/key_prefix.h"
#include "flow/runs/live_run.h"
#include "flow/runs/prefix_sort.h"
#include "flow/runs/run_file.h"
#include "flow/runs/sorted_run.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// All whose keys (of both directions, where the order has these together) lie from `first` to before `end`; without
// them from the beginning, to the end.
struct KeyRange {
  std::optional<FlowKey> first, end;
};

// The merge: many sorted runs as one.
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
