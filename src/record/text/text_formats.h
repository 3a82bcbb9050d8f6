// The text formats of Flow Records.
#pragma once

#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/text/text_table.h"

namespace warpmeter::inline record {

// CSV: a header line, then a line a Flow Record; what does not apply is empty.
std::unique_ptr<FileFormat> make_csv_format(const RecordLayout& layout);

// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
std::unique_ptr<FileFormat> make_json_format(const RecordLayout& layout);

// A table for people: the columns that a look at a terminal asks for, aligned (text_table.h).
std::unique_ptr<FileFormat> make_table_format(const RecordLayout& layout, TableStyle style = {});

// Of csv, json and table. REQUIRES: no other format.
inline std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style = {}) {
  switch (format) {
    case Format::json: return make_json_format(layout);
    case Format::table: return make_table_format(layout, style);
    default: return make_csv_format(layout);
  }
}

}  // namespace warpmeter::inline record
