// The formats that this folder writes.
#pragma once

#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/text/text_table.h"

namespace warpmeter::inline record {

// Of csv, json and table. REQUIRES: no other format.
std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style = {});

}  // namespace warpmeter::inline record
