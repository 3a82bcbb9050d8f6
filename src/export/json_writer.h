// JSON lines: one object a Flow Record, with the names of the CSV columns; what does not apply is null.
#pragma once

#include "export/record_writer.h"

namespace warpmeter {

class JsonWriter : public RecordWriter {
 public:
  JsonWriter(OutputFile& output, bool with_vlan) : output_(output), with_vlan_(with_vlan) {}
  void write(const FlowRecord& record) override;

 private:
  OutputFile& output_;
  const bool with_vlan_;
};

}  // namespace warpmeter
