#include "export/record_writer.h"

#include "export/csv_writer.h"
#include "export/json_writer.h"
#include "export/table_writer.h"

namespace warpmeter {

std::unique_ptr<RecordWriter> make_text_writer(Format format, OutputFile& output, const RecordLayout& layout) {
  switch (format) {
    case Format::json: return std::make_unique<JsonWriter>(output, layout);
    case Format::table: return std::make_unique<TableWriter>(output, layout);
    default: break;
  }
  return std::make_unique<CsvWriter>(output, layout);
}

}  // namespace warpmeter
