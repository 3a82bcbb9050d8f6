// From partials to Flow Records in the order of the output: Join, then OutputOrder.
//
// Join puts together the partials of flows that were evicted or expired: an evicted flow that went on, an idle one
// whose packets came back because time ran backwards. It also settles how evicted flows ended.
//
// It reads partials in arrival order and holds one flow at a time. Counters are sums, like one flow; what the sequence
// state would have told across the cut is lost. Behind each flow it gives the annotations of its packets, as records of
// their own (annotation_parts.h); those of packets in no flow it drops.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/flow_boundary.h"
#include "core/partial.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/cursors.h"
#include "flow/runs/run_store.h"

namespace warpmeter::inline flow {

struct JoinCounters {
  std::uint64_t evicted_joined = 0;                    // evicted flows that went on and were put together
  std::uint64_t late_packets = 0;                      // packets that found their idle flow gone
  std::array<std::uint64_t, 6> flows_by_end_reason{};  // whole flows, by EndReason

  void add(const JoinCounters& other);
};

class Join : public RecordCursor {
 public:
  Join(std::unique_ptr<PartialCursor> partials, const Timeouts& timeouts);
  void advance() override;

  const JoinCounters& counters() const { return counters_; }

 private:
  bool absorb(const Partial& next);
  void count(Removal removal);

  const std::unique_ptr<PartialCursor> partials_;
  const Timeouts timeouts_;
  Partial current_;
  PartsBehind annotations_;  // of it
  AnnotationSpread spread_;  // of its Flow Key
  JoinCounters counters_;
};

// From the order in which the parts of flows came, (Flow Key, arrival), to that of the output, (Flow Key, start, end,
// arrival). Where time does not run back they are the same, but for a key at a time this has to be seen first. For
// biflows the same with the undirected key.
//
// Memory: the flows of one key, up to the limit of the options; beyond it they go to run files.
class OutputOrder : public RecordCursor {
 public:
  // `flows`: whole Flow Records, those of a key together, each with its annotations behind it, where these stay.
  // `options`: the order, output_order or biflow_output_order, and what keys with very many flows need.
  OutputOrder(std::unique_ptr<RecordCursor> flows, RunStoreOptions options);
  void advance() override;

 private:
  void next_key();
  void sort_few();

  const std::unique_ptr<RecordCursor> flows_;
  RunStoreOptions options_;
  PartialChunk few_;  // the flows of the current key
  std::size_t at_ = 0;
  std::unique_ptr<PartialCursor> many_;  // the same, where they are many
};

}  // namespace warpmeter::inline flow
