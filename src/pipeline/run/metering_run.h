// What the runs of `extract` and `live` have in common around metering: where their records go, the export of what was
// metered, and what is said at the end.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/program/files_in_use.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "flow/runs/join.h"
#include "flow/runs/run_store.h"
#include "packet/decode/packet_filter.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/summary.h"
#include "record/write/record_output.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline pipeline {

struct ExportedRecords {
  std::uint64_t rows = 0;
  std::uint64_t labels_cut = 0;  // rows of which labels are left out (annotations.h)
  FlowRecord totals;             // sums of the counters, both directions
  JoinCounters join;

  void add(const ExportedRecords& other);
};

// The last stage: all partials of a run become Flow Records in output order, written by several threads.
//
// The keys are cut into ranges. A thread takes the next range, merges its partials, joins them to whole flows and
// formats these into a section of the output; sections are appended in the order of their ranges. Nothing that is done
// to records looks beyond their key, so that the ranges do not show in the output.
//
// Uses options.threads threads. Calls begin() and end() of `output`. Throws what any of the threads throws.
ExportedRecords export_in_order(RunStore& runs, const ExtractOptions& options, RecordWriter& output);

// Of the run's outputs, completed by what its other options say. Once `interrupted` is true nobody waits for a
// collector that is gone, nor for the reader of a pipe. What is referred to must outlive the output.
OutputOptions output_options_of_run(const ExtractOptions& options, FilesInUse& in_use,
                                    const std::atomic<bool>& interrupted);

// Of a source that is no file: a line for each link type whose frames came and could not be filtered. `filter`: null if
// there is none.
std::vector<std::string> left_out_by(const PacketFilter* filter);

// What its Flow Records have in common, in the form that whoever takes them in this process gets.
RecordLayout layout_of_run(const ExtractOptions& options);

// Exports all that was metered. The output is complete and under its name then. Throws what the output throws.
ExportedRecords export_all(const ExtractOptions& options, MeteringWork& work, RecordOutput& output);

// Puts into the summary what metering and export came to. REQUIRES: the output has ended.
void sum_up(const ExtractOptions& options, MeteringWork& work, const RecordOutput& output,
            const ExportedRecords& exported, Summary& summary);

RunReport report_of(const Summary& summary, const ExtractOptions& options);

}  // namespace warpmeter::inline pipeline
