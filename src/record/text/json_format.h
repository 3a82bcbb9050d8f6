// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
#pragma once

#include "core/record_layout.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {

std::unique_ptr<FileFormat> make_json_format(const RecordLayout& layout);

}  // namespace warpmeter::inline record
