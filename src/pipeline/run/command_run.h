// The frame in which every command runs that reads packets, and libwarpmeter's runs as well: what it reads and by which
// filter, which files it must not write over, --stats, and what failures, a signal and the findings of reading make of
// it in the end.
//
// A command calls what stands here from top to bottom, with its own passes between. A failure between begin() and
// open_stats() is written to the file of --stats, too: outputs may be opened before it.
//
// Threads: one. Errors: Error; of usage where options do not fit.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "packet/file/packet_source.h"
#include "packet/file/trace.h"
#include "packet/segments/segment_sets.h"
#include "pipeline/metering/command_options.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/run/read_summary.h"

namespace warpmeter::inline pipeline {

// The inputs of a run: captures, or sets of segments that captures were decoded to.
class TraceInputs {
 public:
  // Looks at what was given, folders too. `interrupted` must outlive this. Throws Error; of usage, where options are
  // wanted that segments were decoded without.
  TraceInputs(const ExtractOptions& options, const std::atomic<bool>& interrupted);

  // The run's, with what the segments say.
  const ExtractOptions& options() const { return options_; }
  const InputFiles& found() const { return found_; }
  // That are read.
  const std::vector<std::string>& files() const { return found_.files; }

  // `filter`: of the run, which must outlive the source; null if it has none. Throws Error.
  std::unique_ptr<TraceSource> open(const PacketFilter* filter = nullptr) const;

 private:
  void take_sets();

  ExtractOptions options_;
  const std::atomic<bool>& interrupted_;
  InputFiles found_;
  std::optional<SegmentSets> sets_;  // nothing: captures
};

// --stats: written once, with the summary or, of a run that failed, with what went wrong; never over an input.
class StatsFile {
 public:
  // Opens nothing. `inputs`: files and folders. An empty name: nothing is ever written.
  // A pipe's reader is waited for until `interrupted` is true; `gives_up`: as of OutputFile.
  StatsFile(std::string name, std::vector<std::string> inputs, const std::atomic<bool>& interrupted,
            const std::atomic<bool>* gives_up = nullptr)
      : name_(std::move(name)), inputs_(std::move(inputs)), interrupted_(interrupted), gives_up_(gives_up) {}

  // All inputs are there. From here on a failure is written only if one of the next was called as well.
  void inputs_are_known() { may_open_ = false; }

  // It is neither an input nor another output (FilesInUse).
  void is_claimed() { may_open_ = true; }

  // It is no input. Throws Error where it cannot be written.
  void open();

  // REQUIRES: open() has returned. Throws Error; then it is not tried again.
  void write(const std::string& text);

  // What a run throws ends it and is written, by its one line (messages.h); but for errors of usage, and what was
  // interrupted.
  void write_failure(const std::exception& error);

  // What is to be written of a run that failed with this message: once, by who knows most of it. Nothing, if the file
  // may be one of the inputs, or has packets. Its own errors are told on standard error: the one that is on its way is
  // what the run ends with.
  void write_failure(const std::string& message, const std::string& text);

 private:
  bool may_be_input() const;

  const std::string name_;
  const std::vector<std::string> inputs_;
  const std::atomic<bool>& interrupted_;
  const std::atomic<bool>* const gives_up_;
  bool may_open_ = true;  // where a failure is to be written, and open() was not called
  std::unique_ptr<OutputFile> file_;
};

// What a run tells at its end.
struct RunReport {
  std::string json;                   // for --stats
  std::vector<std::string> warnings;  // a line each
  std::string text;                   // the summary
};

// To a filter's error, where files and filter are words of one command line.
inline constexpr const char* kOrFile = " (nor is there a file of that name)";

class CommandRun {
 public:
  // `named`: files and folders that --stats must not take the place of. Once `interrupted` is true the run is to end;
  // `gives_up`: as of OutputFile, for the file of --stats. What is referred to must outlive it.
  CommandRun(const CommandOptions& options, std::vector<std::string> named, const std::atomic<bool>& interrupted,
             const std::atomic<bool>* gives_up = nullptr)
      : options_(options),
        interrupted_(interrupted),
        stats_(options.stats_file, std::move(named), interrupted, gives_up) {}

  // Calls the passes of the command. What ends them is written to the file of --stats and thrown on; a device's failure
  // as Error.
  void run(const std::function<void()>& passes);

  // The files that are read are known now, and none of them is written over. Compiles the filter, where a signal ends
  // the program, since a long one may take a while, and nothing is there to be finished. `remark`: to its error.
  void begin(const std::vector<std::string>& files, const std::string& remark);
  const PacketFilter* filter() const { return filter_.get(); }  // null: none
  FilesInUse& in_use() { return *in_use_; }
  const std::atomic<bool>& interrupted() const { return interrupted_; }

  void open_stats() { stats_.open(); }
  StatsFile& stats() { return stats_; }

  // These captures, as a source. `interfaces`: as of CaptureOptions.
  std::unique_ptr<Trace> open(const std::vector<std::string>& files,
                              const std::shared_ptr<InterfaceList>& interfaces = nullptr) const;

  // What was found in the inputs, and in the source. Throws CaptureError if nothing of it could be read.
  void finish_reading(const InputFiles& inputs, const TraceSource& source, ReadSummary& summary) const;

  // How long it took, and its status, as far as reading goes.
  void end(ReadSummary& summary) const;

  // Writes the file of --stats, warns, and says the summary if it is to be heard.
  void report(const RunReport& report);

 private:
  const CommandOptions& options_;
  const std::atomic<bool>& interrupted_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  StatsFile stats_;
  std::unique_ptr<PacketFilter> filter_;
  std::optional<FilesInUse> in_use_;
};

// The files that the options name, of a command that wants captures: those of segments, which hold no `wanted`, are
// refused (usage). `outputs`: what is no input. Throws Error.
InputFiles capture_inputs(const CommandOptions& options, const std::vector<std::string>& outputs,
                          std::string_view wanted);

// The captures as a source, by these options. `filter`: null if there is none; it must outlive the source.
std::unique_ptr<Trace> open_captures(const CommandOptions& options, const std::vector<std::string>& files,
                                     const PacketFilter* filter, const std::atomic<bool>& interrupted,
                                     const std::shared_ptr<InterfaceList>& interfaces = nullptr);

// Puts what was found in the inputs beside what their source found.
void add_findings(const InputFiles& inputs, TraceFindings findings, ReadSummary& summary);

}  // namespace warpmeter::inline pipeline
