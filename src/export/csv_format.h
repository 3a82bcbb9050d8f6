// CSV: a header line, then a line a Flow Record; what does not apply is empty.
#pragma once

#include "export/file_format.h"
#include "warpmeter/record_layout.h"

namespace warpmeter {

std::unique_ptr<FileFormat> make_csv_format(const RecordLayout& layout);

}  // namespace warpmeter
