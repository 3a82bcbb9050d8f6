#include "pipeline/capture_info.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "pipeline/capture_info_text.h"
#include "pipeline/progress.h"
#include "pipeline/sum_frames.h"
#include "warpmeter/printable.h"

namespace warpmeter {
namespace {

void put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Error("standard output: cannot be written");
  }
}

std::uint64_t bytes_of(const std::string& file, std::uint64_t otherwise) {
  std::error_code error;
  if (file == "-" || !std::filesystem::is_regular_file(file, error)) return otherwise;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? otherwise : size;
}

void warn(const CaptureInfo& info) {
  if (!info.unreadable.empty()) fmt::print(stderr, "warpmeter: {}\n", printable(info.unreadable));
  if (!info.damage) return;
  fmt::print(stderr, "warpmeter: {}: damaged at byte {}: {}\n", printable(info.damage->file), info.damage->offset,
             printable(info.damage->reason));
}

}  // namespace

CaptureInfo read_capture_info(const std::string& file, const InfoOptions& options,
                              const std::atomic<bool>& interrupted) {
  CaptureInfo info;
  info.file = file == "-" ? "standard input" : file;
  Trace trace({file}, interrupted, {.capture = {.format = options.input_format, .any_link = true}});
  {
    const Progress progress(trace, !options.quiet);
    info.sums = sum_frames(trace, options.threads);
  }
  if (!trace.unreadable().empty()) info.unreadable = trace.unreadable().front();
  if (!trace.damage().empty()) info.damage = trace.damage().front();
  info.facts = trace.facts();
  if (info.facts.format == InputFormat::automatic) throw Error(info.unreadable);
  info.bytes = bytes_of(file, trace.bytes_read());
  info.interrupted = interrupted;
  return info;
}

ExitStatus capture_info(const InfoOptions& options, const std::atomic<bool>& interrupted) {
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive);
  CaptureTotal total;
  total.passed_over = inputs.passed_over;
  const auto unreadable = [&total](const std::vector<std::string>& messages) {
    for (const std::string& message : messages) fmt::print(stderr, "warpmeter: {}\n", printable(message));
    total.unreadable += messages.size();
  };
  unreadable(inputs.unreadable);
  std::vector<std::string> files = inputs.files;
  if (files.size() > 1) {  // as extract reads them
    const CaptureOptions capture{.format = options.input_format, .any_link = true};
    const TraceFiles in_order = look_at_files(std::exchange(files, {}), FileOrder::time, interrupted, capture);
    unreadable(in_order.unreadable);
    for (const TraceFile& file : in_order.files) files.push_back(file.path);
  }
  std::string first_error;
  for (const std::string& file : files) {
    if (interrupted) break;
    try {
      const CaptureInfo info = read_capture_info(file, options, interrupted);
      total.add(info);
      if (!options.json && total.files > 1) put("\n");
      put(options.json ? capture_info_json(info) : capture_info_text(info));
      warn(info);
    } catch (const Error& error) {
      if (files.size() == 1 && total.unreadable == 0) throw;
      fmt::print(stderr, "warpmeter: {}\n", printable(error.what()));
      ++total.unreadable;
    }
  }
  if (!options.json && (files.size() > 1 || total.passed_over || total.unreadable) && total.files > 0)
    put(fmt::format("\n{}", capture_total_text(total)));
  if (interrupted) return ExitStatus::interrupted;
  if (total.files == 0) return ExitStatus::failed;
  return total.damaged || total.unreadable ? ExitStatus::damaged : ExitStatus::ok;
}

}  // namespace warpmeter
