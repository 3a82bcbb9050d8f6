// The formats that this folder writes.
#pragma once

#include "export/file_format.h"
#include "export/text_table.h"
#include "warpmeter/record_layout.h"

namespace warpmeter {

// Of csv, json and table. REQUIRES: no other format.
std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style = {});

}  // namespace warpmeter
