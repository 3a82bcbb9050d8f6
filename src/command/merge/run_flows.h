// Flows that wait in a run file (docs/run-files.md), where more files are to be merged than can be open at once.
#pragma once

#include <memory>
#include <string>

#include "command/merge/flow_cursor.h"
#include "flow/runs/run_file.h"

namespace warpmeter::inline command {

// A run file in `folder` with all flows from here on. Throws Error.
std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder);

class RunFlows : public FlowCursor {
 public:
  explicit RunFlows(std::shared_ptr<const RunFile> file);
  void advance() override;

 private:
  RunReader reader_;
  Biflow flow_;
};

}  // namespace warpmeter::inline command
