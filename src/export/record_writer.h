// A format of Flow Records. Flow Records come in output order; the writer writes into an OutputFile that it does not
// own.
#pragma once

#include <memory>
#include <string>

#include "export/output_file.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/options.h"

namespace warpmeter {

enum class Format { csv, json, table };

// What every Flow Record of an output has in common.
struct RecordLayout {
  bool vlan = false;  // write the VLAN id of the Flow Key (--key-vlan)
  Method method = Method::exact;
};

class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  virtual void begin() {}
  virtual void write(const FlowRecord& record) = 0;
  virtual void end() {}
};

// `output` must outlive the writer.
std::unique_ptr<RecordWriter> make_writer(Format format, OutputFile& output, const RecordLayout& layout);

}  // namespace warpmeter
