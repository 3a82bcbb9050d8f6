// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
#pragma once

#include <span>

#include "export/columns.h"
#include "export/record_writer.h"

namespace warpmeter {

class JsonWriter : public RecordWriter {
 public:
  JsonWriter(OutputFile& output, const RecordLayout& layout)
      : output_(output), layout_(layout), columns_(value_columns(layout.method)) {}
  void write(const FlowRecord& record) override;

 private:
  OutputFile& output_;
  const RecordLayout layout_;
  const std::span<const Column> columns_;
};

}  // namespace warpmeter
