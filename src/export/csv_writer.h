// CSV: a header line, then a line a Flow Record; what does not apply is empty.
#pragma once

#include "export/record_writer.h"

namespace warpmeter {

class CsvWriter : public RecordWriter {
 public:
  CsvWriter(OutputFile& output, bool with_vlan) : output_(output), with_vlan_(with_vlan) {}
  void begin() override;
  void write(const FlowRecord& record) override;

 private:
  OutputFile& output_;
  const bool with_vlan_;
};

}  // namespace warpmeter
