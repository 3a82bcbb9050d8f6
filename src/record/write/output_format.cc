#include "record/write/output_format.h"

#include <utility>

#include "record/columns/column_option.h"
#include "record/parquet/parquet_files.h"
#include "record/text/file_format.h"

namespace warpmeter::inline record {
namespace {

// Parquet has its own type for moments, which is none of text, and columns that others have where they are asked for.
RecordLayout with_choices(RecordLayout layout, const OutputOptions& options) {
  const bool is_parquet = options.format == Format::parquet;
  layout = with_times(std::move(layout), is_parquet && options.times == TimeForm::iso ? TimeForm::ns : options.times);
  if (is_parquet) add_standing_columns(layout);
  return layout;
}

}  // namespace

std::unique_ptr<FileFormat> make_file_format(const OutputOptions& options, const RecordLayout& of_records) {
  const RecordLayout layout = with_choices(of_records, options);
  switch (options.format) {
    case Format::ipfix: return make_ipfix_file_format(layout, options.ipfix);
    case Format::parquet: return make_parquet_format(layout);
    default: return make_text_format(options.format, layout, options.table);
  }
}

bool can_write(Format format) {
  switch (format) {
    case Format::ipfix: return built_with_ipfix();
    case Format::parquet: require_parquet(); return true;
    default: return true;
  }
}

std::string why_not_written(Format format) {
  switch (format) {
    case Format::ipfix: return kWithoutIpfix;
    default: return "";
  }
}

}  // namespace warpmeter::inline record
