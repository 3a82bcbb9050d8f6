// One file of Flow Records: the file and what is in it, which begin and end together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

class FileWriter : public RecordWriter {
 public:
  // Opens the file; throws Error where that fails, where the file is in use (OutputOptions), or where this build cannot
  // write the format.
  FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout);
  // One of several files of a format, which is that of the options.
  FileWriter(const std::string& name, const OutputOptions& options, std::shared_ptr<const FileFormat> format);

  const RecordFormat& format() const override { return *format_; }
  void begin() override { content_->begin(); }
  void append(RecordSection& section) override { content_->append(section); }
  void flush() override { file_.flush(); }
  // As of FormattedFile.
  void fill(RecordSection& section, std::uint64_t full) { content_->fill(section, full); }
  void finish() override;
  void name() override;
  void take_back() override { file_.take_back(); }
  // The file is complete and gets its name.
  void end() override;

  const std::string& file_name() const { return name_; }
  std::uint64_t bytes() const { return file_.bytes(); }    // taken
  std::uint64_t written() const { return file_.taken(); }  // into the file

  // As of FormattedFile: if it is, cut_to() may follow, and end().
  bool may_be_cut() const { return is_plain_ && file_.is_regular() && content_->may_be_cut(); }
  void settle() { content_->settle(); }
  // Room on the disk for what is held, a section of so many bytes, and the end of the file. 0, or the errno.
  int reserve(std::uint64_t bytes) { return file_.reserve(content_->most_to_come(bytes)); }
  // The file ends behind so many bytes, which are written.
  void cut_to(std::uint64_t bytes);

 private:
  std::string what_is_lost() const;

  const std::shared_ptr<const FileFormat> format_;
  const std::string name_;  // for messages
  const bool is_plain_, is_lines_;
  const int header_lines_;
  std::vector<std::string>* const unread_;
  OutputFile file_;
  const std::unique_ptr<FormattedFile> content_;
  bool finished_ = false;
};

}  // namespace warpmeter::inline record
