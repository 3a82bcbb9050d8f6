// The last stage: all partials of a run become Flow Records in output order, written by several threads.
//
// The keys are cut into ranges. A thread takes the next range, merges its partials, joins them to whole flows and
// formats these into a section of the output; sections are appended in the order of their ranges. Nothing that is done
// to records looks beyond their key, so that the ranges do not show in the output.
#pragma once

#include <cstdint>

#include "core/record_writer.h"
#include "flow/runs/join.h"
#include "flow/runs/run_store.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline pipeline {

struct ExportedRecords {
  std::uint64_t rows = 0;
  std::uint64_t labels_cut = 0;  // rows of which labels are left out (annotations.h)
  FlowRecord totals;             // sums of the counters, both directions
  JoinCounters join;

  void add(const ExportedRecords& other);
};

// Uses options.threads threads. Calls begin() and end() of `output`. Throws what any of the threads throws.
ExportedRecords export_in_order(RunStore& runs, const ExtractOptions& options, RecordWriter& output);

}  // namespace warpmeter::inline pipeline
