#include "command/info/capture_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "command/info/frame_sums.h"
#include "packet/file/inputs.h"
#include "packet/file/trace.h"
#include "packet/segments/segment_file.h"
#include "pipeline/metering/progress.h"

namespace warpmeter::inline command {
namespace {

std::uint64_t bytes_of(const std::string& file, std::uint64_t otherwise) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_regular_file(file, error)) return otherwise;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? otherwise : size;
}

void warn_of(const CaptureInfo& info) {
  if (!info.unreadable.empty()) warn(info.unreadable);
  for (const std::string& line : warnings_of(info.damage, info.skips, info.odd_fractions)) warn(line);
}

}  // namespace

CaptureInfo read_capture_info(const std::string& file, const InfoOptions& options,
                              const std::atomic<bool>& interrupted) {
  CaptureInfo info;
  info.file = file == "-" ? "standard input" : file;
  const CaptureOptions capture{.format = options.input_format, .resync = options.resync, .any_link = true};
  Trace trace({file}, interrupted, {.capture = capture});
  {
    const Progress progress(trace, !options.quiet);
    info.sums = sum_frames(trace, options.threads);
  }
  if (!trace.unreadable().empty()) info.unreadable = trace.unreadable().front().message;
  TraceFindings found = trace.findings();
  info.damage = std::move(found.damage);
  info.skips = found.skips;
  info.odd_fractions = std::move(found.odd_fractions);
  info.facts = trace.facts();
  if (info.facts.format == InputFormat::automatic) {
    if (interrupted) throw Error("interrupted", ExitStatus::interrupted);
    throw Error(info.unreadable);
  }
  info.bytes = bytes_of(file, trace.bytes_read());
  info.interrupted = interrupted;
  return info;
}

ExitStatus capture_info(const InfoOptions& options, const std::atomic<bool>& interrupted) {
  const bool any_format = options.input_format == InputFormat::automatic;
  const auto is_segments = [any_format](const std::string& file) { return any_format && is_segment_file(file); };
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive, {}, is_segments);
  FilesInUse(inputs.files).claim("-");
  const auto first = std::ranges::find_if(inputs.files, is_segments);
  if (first != inputs.files.end()) {
    const auto other = std::ranges::find_if_not(inputs.files, is_segments);
    if (other != inputs.files.end()) {
      throw Error(fmt::format("{} holds segments, {} does not: ask for one after the other", *first, *other),
                  ExitStatus::usage);
    }
    for (const std::string& message : inputs.unreadable) warn(message);
    const ExitStatus status = segment_info(inputs.files, options, interrupted);
    return status == ExitStatus::ok && !inputs.unreadable.empty() ? ExitStatus::damaged : status;
  }
  CaptureTotal total;
  total.passed_over = inputs.passed_over;
  const auto unreadable = [&total](const std::vector<std::string>& messages) {
    for (const std::string& message : messages) warn(message);
    total.unreadable += messages.size();
  };
  unreadable(inputs.unreadable);
  std::vector<std::string> files = inputs.files;
  if (files.size() > 1) {  // as extract reads them
    const CaptureOptions capture{.format = options.input_format, .resync = options.resync, .any_link = true};
    const TraceFiles in_order = look_at_files(std::exchange(files, {}), FileOrder::time, interrupted, capture);
    unreadable(messages_of(in_order.unreadable));
    total.read_before = in_order.again;
    for (const TraceFile& file : in_order.files) files.push_back(file.path);
  }
  std::string first_error;
  for (const std::string& file : files) {
    if (interrupted) break;
    std::optional<CaptureInfo> info;
    try {
      info = read_capture_info(file, options, interrupted);
    } catch (const Error& error) {
      if (files.size() == 1 && total.unreadable == 0) throw;
      warn(error.what());
      ++total.unreadable;
      continue;
    }
    total.add(*info);
    if (!options.json && total.files > 1) put("\n");
    put(options.json ? capture_info_json(*info) : capture_info_text(*info));
    warn_of(*info);
  }
  const bool of_several = files.size() > 1 || total.passed_over || total.read_before || total.unreadable;
  if (!options.json && of_several && total.files > 0) put(fmt::format("\n{}", capture_total_text(total)));
  if (interrupted) return ExitStatus::interrupted;
  if (total.files == 0) return ExitStatus::failed;
  return total.damaged || total.unreadable ? ExitStatus::damaged : ExitStatus::ok;
}

}  // namespace warpmeter::inline command
