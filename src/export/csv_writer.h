// CSV: a header line, then a line a Flow Record; what does not apply is empty.
#pragma once

#include "export/record_writer.h"
#include "export/text_section.h"

namespace warpmeter {

class CsvWriter : public RecordWriter {
 public:
  CsvWriter(OutputFile& output, const RecordLayout& layout);
  void begin() override;
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  std::unique_ptr<RecordSection> new_section() const override;
  void append(RecordSection& section) override;

 private:
  OutputFile& output_;
  const RecordLayout layout_;
  const LineWriter write_line_;
};

}  // namespace warpmeter
