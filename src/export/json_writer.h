// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
#pragma once

#include "export/record_writer.h"
#include "export/text_section.h"

namespace warpmeter {

class JsonWriter : public RecordWriter {
 public:
  JsonWriter(OutputFile& output, const RecordLayout& layout);
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  std::unique_ptr<RecordSection> new_section() const override;
  void append(RecordSection& section) override;

 private:
  OutputFile& output_;
  const RecordLayout layout_;
  const LineWriter write_line_;
};

}  // namespace warpmeter
