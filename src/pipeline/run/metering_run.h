// What the runs of `extract` and `live` have in common around metering: where their records go, the export of what was
// metered, and what is said at the end.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/program/files_in_use.h"
#include "core/record_layout.h"
#include "packet/decode/packet_filter.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/ordered_export.h"
#include "pipeline/run/summary.h"
#include "record/write/record_output.h"

namespace warpmeter::inline pipeline {

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
