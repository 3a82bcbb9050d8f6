// A table for people: the columns that a look at a terminal asks for, aligned. Widths come from the first rows; later
// ones that are wider push their line to the right.
#pragma once

#include <string>
#include <vector>

#include "export/record_writer.h"

namespace warpmeter {

class TableWriter : public RecordWriter {
 public:
  TableWriter(OutputFile& output, const RecordLayout& layout) : output_(output), layout_(layout) {}
  void begin() override;
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  void end() override;

 private:
  using Row = std::vector<std::string>;
  void add_row(Row row);
  void settle_widths();
  void write_row(const Row& row);

  OutputFile& output_;
  const RecordLayout layout_;
  std::vector<Row> waiting_;  // until the widths are known
  std::vector<std::size_t> widths_;
};

}  // namespace warpmeter
