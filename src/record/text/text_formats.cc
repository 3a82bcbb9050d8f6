#include "record/text/text_formats.h"

#include "record/text/csv_format.h"
#include "record/text/json_format.h"
#include "record/text/table_format.h"

namespace warpmeter::inline record {

std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style) {
  switch (format) {
    case Format::json: return make_json_format(layout);
    case Format::table: return make_table_format(layout, style);
    default: break;
  }
  return make_csv_format(layout);
}

}  // namespace warpmeter::inline record
