// A table for people: the columns that a look at a terminal asks for, aligned (text_table.h).
#pragma once

#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/text/text_table.h"

namespace warpmeter::inline record {

std::unique_ptr<FileFormat> make_table_format(const RecordLayout& layout, TableStyle style = {});

}  // namespace warpmeter::inline record
