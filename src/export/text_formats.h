// The formats that this folder writes.
#pragma once

#include "core/record_layout.h"
#include "export/file_format.h"
#include "export/text_table.h"

namespace warpmeter {

// Of csv, json and table. REQUIRES: no other format.
std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style = {});

}  // namespace warpmeter
