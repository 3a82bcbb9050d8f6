// CSV: a header line, then a line a Flow Record; what does not apply is empty.
#pragma once

#include "core/record_layout.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

std::unique_ptr<FileFormat> make_csv_format(const RecordLayout& layout);

}  // namespace warpmeter::inline record
