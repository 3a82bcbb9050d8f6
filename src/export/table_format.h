// A table for people: the columns that a look at a terminal asks for, aligned. Widths come from the first rows of a
// file; later ones that are wider push their line to the right.
#pragma once

#include "export/file_format.h"
#include "warpmeter/record_layout.h"

namespace warpmeter {

std::unique_ptr<FileFormat> make_table_format(const RecordLayout& layout);

}  // namespace warpmeter
