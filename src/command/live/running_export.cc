#include "command/live/running_export.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace warpmeter::inline command {
RunningExport::RunningExport(const ExtractOptions& options, RunStore& runs, RecordWriter& output,
                             std::chrono::nanoseconds every, std::function<void()> failed,
                             std::function<void(bool)> between)
    : options_(options),
      runs_(runs),
      output_(output),
      every_(every),
      failed_(std::move(failed)),
      between_(std::move(between)) {
  options_.threads = 1;  // the others meter
  output_.begin();
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

RunningExport::~RunningExport() = default;

void RunningExport::work(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any tick;
  std::unique_lock lock(mutex);
  try {
    output_.flush();  // not where nobody could meter meanwhile: who reads the output may take nothing
    using Clock = std::chrono::steady_clock;
    for (Clock::time_point next = Clock::now() + every_; !stop.stop_requested();
         next = std::max(next + every_, Clock::now())) {
      if (!tick.wait_until(lock, stop, next, [] { return false; }) && !stop.stop_requested()) export_some();
    }
  } catch (...) {
    failure_ = std::current_exception();
    failed_();
  }
}

void RunningExport::export_some() {
  if (const std::unique_ptr<RunStore> ended = runs_.take()) {
    ContinuedOutput output(output_);
    exported_.add(export_in_order(*ended, options_, output));
  }
  output_.flush();
  if (between_) between_(false);
}

void RunningExport::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

ExportedRecords RunningExport::finish() {
  stop();
  if (failure_) std::rethrow_exception(failure_);
  ContinuedOutput output(output_);
  exported_.add(export_in_order(runs_, options_, output));
  if (between_) between_(true);
  output_.end();
  return exported_;
}

}  // namespace warpmeter::inline command
