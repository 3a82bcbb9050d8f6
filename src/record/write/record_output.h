// Where the Flow Records of a run go: files, in one piece or several (--rotate SIZE), a collector, or both.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/collector/collector_writer.h"
#include "record/write/file_writer.h"
#include "record/write/kept_file.h"
#include "record/write/output_options.h"

namespace warpmeter::inline record {

// --rotate SIZE: one output as many files, each complete in itself. NAME.csv becomes NAME.000001.csv, NAME.000002.csv,
// ...; records keep their order, and a file ends with the record that reaches the size (formats that write in large
// pieces end later). Where files of an earlier run are to stay, numbers go on behind theirs.
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

// Whether somebody may read the file while it is written: lines, into a pipe, device or socket.
bool is_stream(const OutputOptions& options);

class RecordOutput : public RecordWriter {
 public:
  // Opens files and connects to the collector, so that what cannot be written is known before anything is metered.
  // Files appear under their names with end(). `now`: as HeldWriter has it.
  RecordOutput(const OutputOptions& options, const RecordLayout& whole, std::function<std::int64_t()> now = {});
  RecordOutput(const RecordOutput&) = delete;  // the outputs read its clock

  const RecordFormat& format() const override { return first_->format(); }
  void begin() override { first_->begin(); }
  void append(RecordSection& section) override {
    now_ns_ = now_();
    first_->append(section);
  }
  void flush() override {
    now_ns_ = now_();
    first_->flush();
  }
  void rotate() override { first_->rotate(); }
  void end() override { first_->end(); }

  // Between appends: for the collector, if there is one. See CollectorWriter.
  std::uint32_t write_statistics(const ProcessStatistics& statistics) {
    return collector_ ? collector_->write_statistics(statistics) : 0;
  }

  void tell_sample(std::uint32_t one_in) {
    if (collector_) collector_->tell_sample(one_in);
  }

  // What became of the records for the collector, if there is one. REQUIRES: end() has returned.
  std::optional<ExportReport> export_report() const;

  // How far that has come. From any thread.
  std::optional<ExportState> collector_state() const;

  // What was lost of each output that may lose something and go on (OutputOptions). From any thread.
  std::vector<OutputLossCounts> losses() const;

  // Lines for users: for each output whose name leads to files of an earlier run as well; of IPFIX, which has no room
  // for all labels and fields. REQUIRES: end() has returned.
  std::vector<std::string> left_over() const;

 private:
  static RecordLayout layout_of(const OutputOptions& options, const RecordLayout& layout);
  std::unique_ptr<RecordWriter> open_files(const OutputOptions& options, const RecordLayout& layout);

  const std::function<std::int64_t()> now_;
  const std::shared_ptr<std::atomic<std::uint64_t>> cut_in_ipfix_;  // Data Records, of all outputs
  std::int64_t now_ns_;  // one time for all outputs, so that their files of an interval have the same records and name
  std::deque<OutputLoss> losses_;                // of these outputs
  std::unique_ptr<RecordWriter> first_;          // perhaps of several in one
  CollectorWriter* collector_ = nullptr;         // among these
  std::vector<const RotatingWriter*> rotating_;  // among these
};

}  // namespace warpmeter::inline record
