// Sorted runs: of partials in memory, of flows that still live, and all runs of a store as one sequence, of which any
// number of threads may read ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/merge/merge_heap.h"
#include "core/annex.h"
#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "flow/runs/prefix_sort.h"
#include "flow/runs/run_file.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// A run in memory: chunks of partials, sorted without moving them.
using PartialChunk = std::vector<Partial>;

class SortedRun {
 public:
  // Takes over the chunks and sorts them.
  SortedRun(std::vector<PartialChunk> chunks, RecordOrder order);
  SortedRun(const SortedRun&) = delete;
  SortedRun& operator=(const SortedRun&) = delete;

  std::uint64_t size() const { return places_.size(); }
  const Partial& at(std::uint64_t i) const { return *places_[i].partial; }

 private:
  struct Place {
    KeyPrefix prefix;
    const Partial* partial;
  };

  std::vector<PartialChunk> chunks_;
  std::vector<Place> places_;
};

// Partials `begin` to `end` of a run.
class SortedRunCursor : public PartialCursor {
 public:
  SortedRunCursor(std::shared_ptr<const SortedRun> run, std::uint64_t begin, std::uint64_t end);
  void advance() override;

 private:
  void show();

  const std::shared_ptr<const SortedRun> run_;
  std::uint64_t at_;
  const std::uint64_t end_;
};

// Flows that were alive when the trace ended. They stay where they were metered, in the form that they have there; the
// partial of one is made when it is its turn. That saves writing all of them down to read them back at once.
//
// Threads: any, at the same time.
class LiveFlows {
 public:
  virtual ~LiveFlows() = default;

  virtual std::size_t size() const = 0;
  // They have numbers from 0 to numbers() - 1, of which some may be nobody's.
  virtual std::size_t numbers() const = 0;
  // Null if the number is nobody's. What follows REQUIRES that it is not.
  virtual const FlowKey* key_of(std::size_t number) const = 0;
  virtual Partial partial_of(std::size_t number) const = 0;
  virtual bool have_annexes() const { return false; }
  virtual const Annex& annex_of(std::size_t number) const;  // REQUIRES: have_annexes()
  virtual void prefetch(std::size_t number) const = 0;
};

class LiveRun {
 public:
  // Memory: 24 bytes a flow.
  LiveRun(std::vector<std::shared_ptr<const LiveFlows>> flows, RecordOrder order);
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  std::uint64_t size() const { return places_.size(); }
  Partial at(std::uint64_t i) const { return partial_of(places_[i]); }
  bool have_annexes() const { return have_annexes_; }
  const Annex& annex_at(std::uint64_t i) const { return flows_[places_[i].flows]->annex_of(places_[i].number); }
  void prefetch(std::uint64_t i) const { flows_[places_[i].flows]->prefetch(places_[i].number); }

 private:
  struct Place {
    KeyPrefix prefix;
    std::uint32_t flows;  // which of flows_
    std::uint32_t number;
  };
  const FlowKey& key_of(const Place& place) const { return *flows_[place.flows]->key_of(place.number); }
  Partial partial_of(const Place& place) const { return flows_[place.flows]->partial_of(place.number); }
  bool before(const Place& a, const Place& b) const;

  const std::vector<std::shared_ptr<const LiveFlows>> flows_;
  const bool have_annexes_;  // all of them, or none
  const RecordOrder order_;
  std::vector<Place> places_;
};

// Partials `begin` to `end` of a run, each with its annex behind it, if there are any.
class LiveRunCursor : public PartialCursor {
 public:
  LiveRunCursor(std::shared_ptr<const LiveRun> run, std::uint64_t begin, std::uint64_t end);
  void advance() override;

 private:
  void show();

  const std::shared_ptr<const LiveRun> run_;
  std::uint64_t at_;
  const std::uint64_t end_;
  bool shows_annex_ = false;  // of the flow at at_
  Partial current_;
};

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
