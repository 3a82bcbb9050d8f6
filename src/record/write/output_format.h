// The formats of outputs: those of src/export and those that need libraries.
#pragma once

#include <memory>
#include <string>

#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

// Some formats need libraries that may not have been there when this program was built. Throws Error where one was, and
// is gone.
bool can_write(Format format);
std::string why_not_written(Format format);  // one line, for users

// Formats for reading by other programs that hold whole Flow Records and nothing else: no choice of columns, no sums.
inline bool holds_records_only(Format format) { return format == Format::ipfix || format == Format::parquet; }

// The options' format, for one file or many. Throws Error where this build cannot write it.
std::unique_ptr<FileFormat> make_file_format(const OutputOptions& options, const RecordLayout& layout);

}  // namespace warpmeter::inline record
