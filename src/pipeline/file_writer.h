// One file of Flow Records: the file and the writer of its format, which begin and end together.
#pragma once

#include <memory>
#include <string>

#include "export/output_file.h"
#include "pipeline/output_options.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// Some formats need libraries that may not have been there when this program was built.
bool can_write(Format format);
std::string why_not_written(Format format);  // one line, for users

class FileWriter : public RecordWriter {
 public:
  // Opens the file; throws Error where that fails, or where this build cannot write the format.
  FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout);

  void begin() override { writer_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_->write(record, reverse); }
  // The file is complete and gets its name.
  void end() override;

  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  OutputFile file_;
  std::unique_ptr<RecordWriter> writer_;
};

}  // namespace warpmeter
