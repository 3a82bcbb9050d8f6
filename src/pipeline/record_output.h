// The writer of each format of Flow Records, in one place for all commands.
#pragma once

#include <memory>

#include "export/record_writer.h"

namespace warpmeter {

// `output` must outlive the writer. Throws Error (usage) for a format that this build was made without.
std::unique_ptr<RecordWriter> make_record_writer(Format format, OutputFile& output, const RecordLayout& layout);

// Formats for reading by other programs that hold whole Flow Records and nothing else: no choice of columns, no sums.
inline bool holds_records_only(Format format) { return format == Format::ipfix || format == Format::parquet; }

}  // namespace warpmeter
