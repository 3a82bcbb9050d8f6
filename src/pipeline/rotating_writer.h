// --rotate: one output as many files, each complete in itself.
//
// By size, NAME.csv becomes NAME.000001.csv, NAME.000002.csv, ...; records keep their order, and a file ends with the
// record that reaches the size (formats that write in large pieces end later). By time, there is a file for each
// interval of packet time in which flows ended, NAME.20260131T120000Z.csv by its beginning (UTC); all of them are open
// until the end, because records come in the order of their keys.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "pipeline/file_writer.h"
#include "pipeline/output_options.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

class RotatingWriter : public RecordWriter {
 public:
  static constexpr std::size_t kMostFiles = 500;  // open at once, by time; an Error beyond

  RotatingWriter(const OutputOptions& options, const RecordLayout& layout) : options_(options), layout_(layout) {}

  // A trace without flows still gets its one file.
  void begin() override;
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  void end() override;

 private:
  FileWriter& file_for(const FlowRecord& record, const FlowRecord* reverse);
  std::unique_ptr<FileWriter> open(const std::string& middle) const;

  const OutputOptions options_;
  const RecordLayout layout_;
  std::uint64_t number_ = 0;                                     // of the file by size
  std::unique_ptr<FileWriter> current_;                          // by size
  std::map<std::int64_t, std::unique_ptr<FileWriter>> by_time_;  // by the interval's beginning, ns
};

}  // namespace warpmeter
