#include "output/file_writer.h"

#include <utility>

#include "output/output_format.h"

namespace warpmeter {
namespace {

const std::string& not_in_use(const std::string& name, const OutputOptions& options) {
  if (!options.in_use) return name;
  if (options.rotate_bytes || options.rotate_ns) options.in_use->check(name);
  else options.in_use->claim(name);
  return name;
}

}  // namespace

FileWriter::FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout)
    : FileWriter(name, options, make_file_format(options, layout)) {}

FileWriter::FileWriter(const std::string& name, const OutputOptions& options, std::shared_ptr<const FileFormat> format)
    : format_(std::move(format)),
      file_(not_in_use(name, options), options.interrupted),
      content_(format_->new_file(file_)) {
  file_.pack(options.packing, options.threads);
}

void FileWriter::finish() {
  content_->end();
  file_.finish();
  finished_ = true;
}

void FileWriter::end() {
  if (!finished_) finish();
  file_.commit();
}

}  // namespace warpmeter
