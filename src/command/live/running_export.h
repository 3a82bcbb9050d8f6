// Flow Records leave while more packets are metered: every so often, what has ended by then is exported, in output
// order in itself, and the output is flushed.
//
// Parts of a flow that leave at different times are not joined: of a flow that was evicted and went on there are
// several Flow Records, each but the last with end reason `lack of resources`.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "core/record_writer.h"
#include "flow/runs/run_store.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/run/metering_run.h"

namespace warpmeter::inline command {

// An output that goes on behind the last record of one export.
class ContinuedOutput : public RecordWriter {
 public:
  explicit ContinuedOutput(RecordWriter& output) : output_(output) {}
  const RecordFormat& format() const override { return output_.format(); }
  void append(RecordSection& section) override { output_.append(section); }

 private:
  RecordWriter& output_;
};

class RunningExport {
 public:
  // Begins the output, and exports once in `every`, by a thread of its own, until finish(). Where that fails, it ends,
  // and calls `failed` from this thread. Between two exports, and before the output ends, `between` is called by who
  // exports; true: that is the last time. What is referred to must outlive it.
  RunningExport(const ExtractOptions& options, RunStore& runs, RecordWriter& output, std::chrono::nanoseconds every,
                std::function<void()> failed, std::function<void(bool)> between = {});
  ~RunningExport();

  // Exports no more until finish(): what is added from now on leaves together. Flows that live at the end need that, as
  // what is noted of them is added apart from them.
  void stop();

  // Exports what is left, and ends the output. REQUIRES: nobody adds to the runs any more. The sums are of all that was
  // exported. Throws what exporting threw, whenever that was.
  ExportedRecords finish();

 private:
  void work(const std::stop_token& stop);
  void export_some();

  ExtractOptions options_;
  RunStore& runs_;
  RecordWriter& output_;
  const std::chrono::nanoseconds every_;
  const std::function<void()> failed_;
  const std::function<void(bool)> between_;
  ExportedRecords exported_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace warpmeter::inline command
