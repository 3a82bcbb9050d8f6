#include "output/file_writer.h"

#include "output/ipfix_output.h"
#include "parquet/parquet_files.h"

namespace warpmeter {
namespace {

const std::string& not_in_use(const std::string& name, const OutputOptions& options) {
  if (!options.in_use) return name;
  if (options.rotate_bytes || options.rotate_ns) options.in_use->check(name);
  else options.in_use->claim(name);
  return name;
}

// Parquet has its own type for moments, which is none of text.
RecordLayout with_choices(RecordLayout layout, const OutputOptions& options) {
  layout.times = options.format == Format::parquet && options.times == TimeForm::iso ? TimeForm::ns : options.times;
  layout.community_id = options.community_id;
  return layout;
}

}  // namespace

std::unique_ptr<RecordWriter> make_record_writer(const OutputOptions& options, OutputFile& file,
                                                 const RecordLayout& of_records) {
  const RecordLayout layout = with_choices(of_records, options);
  switch (options.format) {
    case Format::ipfix: return make_ipfix_file_writer(file, layout, options.ipfix);
    case Format::parquet: return make_parquet_writer(file, layout);
    default: return make_text_writer(options.format, file, layout);
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

FileWriter::FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout)
    : file_(not_in_use(name, options), options.interrupted), writer_(make_record_writer(options, file_, layout)) {
  file_.pack(options.packing, options.threads);
}

void FileWriter::finish() {
  writer_->end();
  file_.finish();
  finished_ = true;
}

void FileWriter::end() {
  if (!finished_) finish();
  file_.commit();
}

}  // namespace warpmeter
