// --rotate SIZE: one output as many files, each complete in itself. NAME.csv becomes NAME.000001.csv, NAME.000002.csv,
// ...; records keep their order, and a file ends with the record that reaches the size (formats that write in large
// pieces end later). Where files of an earlier run are to stay, numbers go on behind theirs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/record_layout.h"
#include "record/write/file_writer.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

class RotatingWriter : public RecordWriter {
 public:
  // REQUIRES: options.rotate_bytes. Throws Error where no file can be written.
  RotatingWriter(const OutputOptions& options, const RecordLayout& layout);

  const RecordFormat& format() const override { return *format_; }
  // A trace without flows still gets its one file. If a file cannot be written, those before stay.
  void begin() override;
  void append(RecordSection& section) override;
  void name() override { current_->name(); }
  void take_back() override { current_->take_back(); }
  void end() override { current_->end(); }

  // Files of an earlier run that none of ours replaced, as a line for users; else empty. REQUIRES: end() has returned.
  std::string left_over() const;

 private:
  void open_next();

  const OutputOptions options_;
  const std::shared_ptr<const FileFormat> format_;
  std::uint64_t number_ = 0;  // of the current file
  std::unique_ptr<FileWriter> current_;
};

}  // namespace warpmeter::inline record
