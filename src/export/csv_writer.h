// CSV: a header line, then a line a Flow Record; what does not apply is empty.
#pragma once

#include <span>

#include "export/columns.h"
#include "export/record_writer.h"

namespace warpmeter {

class CsvWriter : public RecordWriter {
 public:
  CsvWriter(OutputFile& output, const RecordLayout& layout)
      : output_(output), layout_(layout), columns_(value_columns(layout.method)) {}
  void begin() override;
  void write(const FlowRecord& record) override;

 private:
  OutputFile& output_;
  const RecordLayout layout_;
  const std::span<const Column> columns_;
};

}  // namespace warpmeter
