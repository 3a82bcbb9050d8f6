#include "pipeline/run/command_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "core/device_meter.h"
#include "packet/file/capture_reader.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/segment_trace.h"
#include "pipeline/run/summary_list.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

namespace fs = std::filesystem;

void StatsFile::open() {
  may_open_ = false;
  if (!name_.empty()) file_ = std::make_unique<OutputFile>(name_, &interrupted_, gives_up_);
}

void StatsFile::write(const std::string& text) {
  const std::unique_ptr<OutputFile> file = std::move(file_);
  if (!file) return;  // none was asked for, or writing it has failed before
  file->write(text);
  file->commit();
}

// One of the inputs that were named, or in a folder of them, however deep.
bool StatsFile::may_be_input() const {
  std::error_code error;
  const fs::path place = fs::canonical(name_, error);
  if (error) return false;  // what is not there is no input
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const std::string& input) {
    std::error_code ignored;
    const fs::path other = fs::canonical(input, ignored);
    if (fs::equivalent(place, input, ignored)) return true;
    const auto [end, unused] = std::mismatch(other.begin(), other.end(), place.begin(), place.end());
    return !other.empty() && end == other.end();
  });
}

void StatsFile::write_failure(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  if (known && known->status() != ExitStatus::failed) return;
  write_failure(failure_words(error), failure_json(error));
}

void StatsFile::write_failure(const std::string& message, const std::string& text) {
  if (name_.empty() || may_be_input() || !packets_in(name_).empty()) return;
  try {
    if (may_open_) open();
    write(text);
  } catch (const std::exception& error) {
    const std::string why = failure_words(error);
    if (why != message) warn(why);  // else it is what is told anyway
  }
}

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
  in_use_.emplace(std::move(read), packets_in);
  if (!options_.stats_file.empty()) in_use_->claim(options_.stats_file);
  stats_.is_claimed();
}

std::unique_ptr<Trace> CommandRun::open(const std::vector<std::string>& files,
                                        const std::shared_ptr<InterfaceList>& interfaces) const {
  return open_captures(options_, files, filter_.get(), interrupted_, interfaces);
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

InputFiles capture_inputs(const CommandOptions& options, const std::vector<std::string>& outputs,
                          std::string_view wanted) {
  const bool any_format = options.input_format == InputFormat::automatic;
  const auto is_segments = [any_format](const std::string& file) { return any_format && is_segment_file(file); };
  InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive, outputs, is_segments);
  const auto segments = std::ranges::find_if(inputs.files, is_segments);
  if (segments != inputs.files.end()) {
    throw Error(fmt::format("{}: segments hold no {}; captures do", *segments, wanted), ExitStatus::usage);
  }
  return inputs;
}

std::unique_ptr<Trace> open_captures(const CommandOptions& options, const std::vector<std::string>& files,
                                     const PacketFilter* filter, const std::atomic<bool>& interrupted,
                                     const std::shared_ptr<InterfaceList>& interfaces) {
  const CaptureOptions capture{.format = options.input_format,
                               .resync = options.resync,
                               .refusal = refusals_of(filter),
                               .interfaces = interfaces};
  return std::make_unique<Trace>(files, interrupted, TraceOptions{.capture = capture, .order = options.order});
}

void add_findings(const InputFiles& inputs, TraceFindings findings, ReadSummary& summary) {
  summary.findings = std::move(findings);
  summary.passed_over = inputs.passed_over;
  summary.folders_below = inputs.folders_below;
  std::vector<std::string>& unreadable = summary.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.unreadable.begin(), inputs.unreadable.end());
}

namespace {

[[noreturn]] void misused(const std::string& what) { throw Error(what, ExitStatus::usage); }

std::vector<std::string> folders_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> folders;
  const auto is_folder = [](const std::string& input) {
    std::error_code error;
    return std::filesystem::is_directory(input, error);
  };
  std::ranges::copy_if(inputs, std::back_inserter(folders), is_folder);
  return folders;
}

bool is_empty(const std::string& file) {
  std::error_code error;
  return std::filesystem::file_size(file, error) == 0 && !error;
}

}  // namespace

TraceInputs::TraceInputs(const ExtractOptions& options, const std::atomic<bool>& interrupted)
    : options_(options), interrupted_(interrupted) {
  const bool any_format = options.input_format == InputFormat::automatic;
  const auto is_segments = [any_format](const std::string& file) { return any_format && is_segment_file(file); };
  found_ = expand_inputs(options.inputs, options.input_format, options.recursive, outputs_of(options), is_segments);
  const auto first = std::ranges::find_if(found_.files, is_segments);
  if (first != found_.files.end()) {
    const auto other = std::ranges::find_if_not(found_.files, is_segments);
    if (other != found_.files.end()) {
      if (is_empty(*other)) throw Error(*other + ": the file is empty");
      misused(fmt::format("{} holds segments, {} does not: they are no one trace", *first, *other));
    }
    take_sets();
  } else if (options.partition) {
    misused("--partition is for segment files: see warpmeter decode");
  }
}

void TraceInputs::take_sets() {
  if (!found_.unreadable.empty()) throw Error(joined(found_.unreadable));
  sets_ = look_at_sets(found_.files, folders_of(options_.inputs), options_.order, options_.partition);
  const SetOptions& set = sets_->options;
  if (!options_.filter.empty()) {
    misused(
        fmt::format("filter '{}': segments cannot be filtered, warpmeter decode takes it (nor is there a file of "
                    "that name)",
                    options_.filter));
  }
  if (options_.policy.policy) misused("--policy: it is for captures, segments have no payload");
  if (options_.annex) misused("--annex: it is for captures, segments have no frames");
  if (options_.key_vlan && !set.key_vlan) misused("--key-vlan: these segments were decoded without it");
  if (options_.decapsulate && !set.decapsulate) misused("--decapsulate: these segments were decoded without it");
  if (options_.tunnel_ports.is_chosen() && options_.tunnel_ports != set.tunnel_ports) {
    misused("ports of tunnels, such as --vxlan-port: these segments were decoded with others");
  }
  if (!options_.sample.takes_all()) misused("--sample-flows: it is for captures, these are segments");
  options_.key_vlan = set.key_vlan;
  options_.decapsulate = set.decapsulate;
  options_.tunnel_ports = set.tunnel_ports;
}

std::unique_ptr<TraceSource> TraceInputs::open(const PacketFilter* filter) const {
  if (sets_) return std::make_unique<SegmentTrace>(*sets_, interrupted_);
  return open_captures(options_, found_.files, filter, interrupted_);
}

}  // namespace warpmeter::inline pipeline
