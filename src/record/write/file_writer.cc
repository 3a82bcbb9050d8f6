#include "record/write/file_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "record/write/output_format.h"

namespace warpmeter::inline record {
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
      name_(name == "-" ? "standard output" : name),
      is_plain_(options.packing == Packing::none),
      is_lines_(is_plain_ && is_lines(options.format)),
      header_lines_(header_lines(options.format)),
      unread_(options.unread),
      file_(not_in_use(name, options), options.interrupted, options.gives_up),
      content_(format_->new_file(file_)) {
  file_.pack(options.packing, options.threads);
}

void FileWriter::finish() {
  content_->end();
  file_.finish();
  finished_ = true;
}

void FileWriter::name() {
  if (!finished_) finish();
  file_.name_for_now();
}

void FileWriter::cut_to(std::uint64_t bytes) {
  file_.cut_to(bytes);
  finished_ = true;
}

void FileWriter::end() {
  if (!finished_) finish();
  file_.commit();
  if (file_.is_given_up() && unread_) unread_->push_back(what_is_lost());
}

std::string FileWriter::what_is_lost() const {
  const std::string nobody = name_ + ": nobody reads it: ";
  if (!is_lines_) return nobody + "it is not complete";
  const std::uint64_t header = file_.taken() == 0 ? header_lines_ : 0;
  return fmt::format("{}{} Flow Records are lost", nobody, file_.lost_lines() - std::min(header, file_.lost_lines()));
}

}  // namespace warpmeter::inline record
