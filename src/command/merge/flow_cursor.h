// Flows in the order of an output, one at a time: from a file (file_flows.h), from a run file, or merged of several
// such.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "command/merge/merge_order.h"
#include "flow/runs/run_file.h"
#include "warpmeter/biflow.h"

namespace warpmeter::inline command {

class FlowCursor {
 public:
  virtual ~FlowCursor() = default;

  // The current flow; null at the end. Valid until advance().
  const Biflow* head() const { return head_; }

  // Moves to the next flow, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const Biflow* head_ = nullptr;
};

// Several sequences of flows as one. Of flows that are alike, those of the sequence named first come first.
class MergedFlows : public FlowCursor {
 public:
  MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order);
  void advance() override;

 private:
  bool is_later(std::size_t a, std::size_t b) const;

  const std::vector<std::unique_ptr<FlowCursor>> flows_;
  const MergeOrder order_;
  std::vector<std::size_t> heap_;  // of those that have not ended: the first is next
};

// Flows wait in a run file (docs/run-files.md) where more files are to be merged than can be open at once.
//
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
