#include "export/text_formats.h"

#include "export/csv_format.h"
#include "export/json_format.h"
#include "export/table_format.h"

namespace warpmeter {

std::unique_ptr<FileFormat> make_text_format(Format format, const RecordLayout& layout, TableStyle style) {
  switch (format) {
    case Format::json: return make_json_format(layout);
    case Format::table: return make_table_format(layout, style);
    default: break;
  }
  return make_csv_format(layout);
}

}  // namespace warpmeter
