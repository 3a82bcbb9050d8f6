#include "pipeline/run/command_run.h"

#include <fmt/format.h>

#include <utility>

#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "core/device_meter.h"
#include "warpmeter/capture_error.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

void CommandRun::run(const std::function<void()>& passes) {
  try {
    try {
      passes();
    } catch (const DeviceError& error) {
      throw Error(fmt::format("GPU: {}", error.what()));
    }
  } catch (const std::exception& error) {
    stats_.write_failure(error);
    throw;
  }
}

void CommandRun::begin(const std::vector<std::string>& files, const std::string& remark) {
  stats_.inputs_are_known();
  if (!options_.filter.empty()) {
    const EndedBySignals meanwhile;
    filter_ = std::make_unique<PacketFilter>(options_.filter, remark);
  }
  std::vector<std::string> read = files;
  read.insert(read.end(), options_.never_overwrite.begin(), options_.never_overwrite.end());
  in_use_.emplace(std::move(read));
  if (!options_.stats_file.empty()) in_use_->claim(options_.stats_file);
  stats_.is_claimed();
}

std::unique_ptr<Trace> CommandRun::open(const std::vector<std::string>& files) const {
  return open_captures(options_, files, filter_.get(), interrupted_);
}

void CommandRun::finish_reading(const InputFiles& inputs, const TraceSource& source, ReadSummary& summary) const {
  TraceFindings findings = source.findings();
  if (source.nothing_readable()) throw CaptureError(joined(findings.unreadable));
  add_findings(inputs, std::move(findings), summary);
  summary.bytes_read = source.bytes_read();
  summary.interrupted = interrupted_;
}

void CommandRun::end(ReadSummary& summary) const {
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  summary.status = status_of_reading(summary);
}

void CommandRun::report(const RunReport& report) {
  stats_.write(report.json);
  for (const std::string& line : report.warnings) warn_of(options_, line);
  if (!options_.quiet) say(report.text);
}

std::unique_ptr<Trace> open_captures(const CommandOptions& options, const std::vector<std::string>& files,
                                     const PacketFilter* filter, const std::atomic<bool>& interrupted) {
  const CaptureOptions capture{
      .format = options.input_format, .resync = options.resync, .refusal = refusals_of(filter)};
  return std::make_unique<Trace>(files, interrupted, TraceOptions{.capture = capture, .order = options.order});
}

void add_findings(const InputFiles& inputs, TraceFindings findings, ReadSummary& summary) {
  summary.findings = std::move(findings);
  summary.passed_over = inputs.passed_over;
  summary.folders_below = inputs.folders_below;
  std::vector<std::string>& unreadable = summary.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.unreadable.begin(), inputs.unreadable.end());
}

}  // namespace warpmeter::inline pipeline
