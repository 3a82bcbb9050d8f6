// Where `show` puts flows: whole Flow Records in a format, or chosen fields of them; into a file, or to a program that
// takes them itself, or both.
#pragma once

#include <memory>

#include "base/files/output_file.h"
#include "command/show/show_options.h"
#include "core/record_reader.h"

namespace warpmeter::inline command {

class FlowOutput {
 public:
  virtual ~FlowOutput() = default;

  // `layout`: of all flows read so far. The columns of the output follow from that of the first call; throws Error if a
  // flow comes that does not fit into them.
  virtual void write(const Biflow& flow, const RecordLayout& layout) = 0;
  virtual void end(const RecordLayout& layout) = 0;
};

// Throws Error (usage) if there is no such column. `output` must outlive it; null: there is no file.
std::unique_ptr<FlowOutput> make_flow_output(const ShowOptions& options, OutputFile* output);

}  // namespace warpmeter::inline command
