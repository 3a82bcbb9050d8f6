// One file of Flow Records: the file and the writer of its format, which begin and end together.
#pragma once

#include <memory>
#include <string>

#include "export/output_file.h"
#include "output/output_options.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

// Some formats need libraries that may not have been there when this program was built. Throws Error where one was, and
// is gone.
bool can_write(Format format);
std::string why_not_written(Format format);  // one line, for users

// Formats for reading by other programs that hold whole Flow Records and nothing else: no choice of columns, no sums.
inline bool holds_records_only(Format format) { return format == Format::ipfix || format == Format::parquet; }

// The writer of the options' format. `file` must outlive it. Throws Error where this build cannot write the format.
std::unique_ptr<RecordWriter> make_record_writer(const OutputOptions& options, OutputFile& file,
                                                 const RecordLayout& layout);

class FileWriter : public RecordWriter {
 public:
  // Opens the file; throws Error where that fails, where the file is in use (OutputOptions), or where this build cannot
  // write the format.
  FileWriter(const std::string& name, const OutputOptions& options, const RecordLayout& layout);

  void begin() override { writer_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_->write(record, reverse); }
  std::unique_ptr<RecordSection> new_section() const override { return writer_->new_section(); }
  void append(RecordSection& section) override { writer_->append(section); }
  void finish() override;
  // The file is complete and gets its name.
  void end() override;

  std::uint64_t bytes() const { return file_.bytes(); }

 private:
  OutputFile file_;
  std::unique_ptr<RecordWriter> writer_;
  bool finished_ = false;
};

}  // namespace warpmeter
