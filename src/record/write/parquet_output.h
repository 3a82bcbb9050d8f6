// Parquet as a format of outputs, where it is built in. It is encoded column by column, on the thread that appends.
#pragma once

#include <memory>

#include "core/record_layout.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

// Its files throw Error like require_parquet() (parquet_files.h).
std::unique_ptr<FileFormat> make_parquet_format(const RecordLayout& layout);

}  // namespace warpmeter::inline record
