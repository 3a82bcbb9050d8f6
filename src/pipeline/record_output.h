// Where the Flow Records of a run go: a file, many files, or a collector.
#pragma once

#include <memory>

#include "pipeline/output_options.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// Opens the output, so that what cannot be written is known before anything is metered. With `own_thread`, records are
// formatted on a thread of the writer's own. Files appear under their names with end().
std::unique_ptr<RecordWriter> open_output(const OutputOptions& options, const RecordLayout& layout, bool own_thread);

}  // namespace warpmeter
