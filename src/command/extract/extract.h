// `warpmeter extract`, from captures to Flow Records: the straight line through the program.
#pragma once

#include <atomic>
#include <memory>

#include "packet/file/packet_source.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/run/summary.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Reads until the end of the trace or until `interrupted` turns true; either way the output is complete and valid.
// Writes warnings and the summary to standard error. Throws Error if the run cannot be done or finished.
ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted);

// The same, for those who want the summary as well.
Summary extract_and_sum_up(const ExtractOptions& options, const std::atomic<bool>& interrupted);

// The same of a source that others made, in place of the inputs.
Summary extract_from(std::unique_ptr<PacketSource> source, const ExtractOptions& options,
                     const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
