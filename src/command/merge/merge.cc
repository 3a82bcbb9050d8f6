#include "command/merge/merge.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/files/descriptor.h"
#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "core/noted_columns.h"
#include "core/record_writer.h"
#include "packet/file/capture_reader.h"
#include "packet/file/inputs.h"
#include "record/write/output_format.h"
#include "record/write/record_output.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

// Of what this process may open, shared by a few levels, the outputs and what else is open. An open file takes some
// megabytes (Parquet 3, zstd 9), so not more.
constexpr std::size_t kShareOfDescriptors = 8;
constexpr std::size_t kUsualDescriptors = 1024, kMostOpen = 64;

std::size_t most_open_of_process() {
  rlimit limit{};
  const std::size_t most = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsualDescriptors;
  return std::clamp<std::size_t>(most / kShareOfDescriptors, 2, kMostOpen);
}

MergeLimits completed(MergeLimits limits) {
  if (limits.most_open == 0) limits.most_open = most_open_of_process();
  return limits;
}

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

OutputOptions output_options_of_run(const MergeOptions& options, FilesInUse& in_use,
                                    const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  const auto complete = [&](OutputOptions& one) {
    one.in_use = &in_use;
    one.interrupted = &interrupted;
    one.tmpdir = options.limits.tmpdir;
  };
  complete(output);
  std::ranges::for_each(output.also, complete);
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->warn = [](const std::string& text) { warn(text); };
  }
  return output;
}

// Text has every column anyway.
RecordLayout layout_of_outputs(const MergedFlowFiles& files, const OutputOptions& o) {
  RecordLayout layout = files.layout();
  const auto is_text = [](const OutputOptions& one) { return !holds_records_only(one.format); };
  if (!o.collector && is_text(o) && std::ranges::all_of(o.also, is_text)) layout.absent = 0;
  layout.extra.insert(layout.extra.begin(), o.extra_columns.begin(), o.extra_columns.end());
  return with_times(std::move(layout), o.times);
}

// The outputs have begun.
[[noreturn]] void refuse_new_column(std::string_view column) {
  throw Error(fmt::format("a flow has a column {}, which no file had in its first flow: the outputs have begun without",
                          column));
}

void refuse_new_columns(const Annotations& noted, const RecordLayout& begun) {
  for (const Annotation& annotation : noted.all()) {
    const auto is_it = [&](const auto& column) { return column->annotation() == annotation.column; };
    if (std::ranges::any_of(begun.extra, is_it)) continue;
    refuse_new_column(AnnotationNames::of_process().name(annotation.column));
  }
  for (const bool reverse : {false, true}) {
    const Annex* const annex = noted.annex(reverse);
    for (std::size_t i = 0; annex && i < kAnnexFields; ++i) {
      const auto field = static_cast<AnnexField>(i);
      const auto is_it = [&](const auto& column) {
        return column->annex() == field && column->is_reverse() == reverse;
      };
      if (!annex->has_value(field) || std::ranges::any_of(begun.extra, is_it)) continue;
      refuse_new_column(AnnexColumn::name_of(field, reverse));
    }
  }
}

void refuse_new_columns(const FlowRecord& flow, const RecordLayout& begun) {
  std::string_view column;
  for (std::uint32_t left = begun.absent; left; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (column_value(i, flow, flow.absent)) column = kColumns[i].name;
  }
  if (!begun.vlan && port_number(flow.key.vlan)) column = kVlanColumn;
  if (!column.empty()) refuse_new_column(column);
}

void refuse_new_columns(const Biflow& flow, const RecordLayout& begun) {
  refuse_new_columns(flow.forward, begun);
  if (!flow.has_reverse) return;
  refuse_new_columns(flow.reverse, begun);
  if (!begun.biflow) throw Error("a flow is a biflow, and the first of its file is none: they are in no known order");
}

void write_all(MergedFlowFiles& files, RecordOutput& output, const RecordLayout& layout,
               const std::atomic<bool>& interrupted) {
  const std::unique_ptr<FlowCursor> flows = files.merged();
  output.begin();
  RecordStream stream(output);
  for (; flows->head() && !interrupted; flows->advance()) {
    const Biflow& flow = *flows->head();
    refuse_new_columns(flow, layout);
    const FlowRecord* const reverse = flow.has_reverse ? &flow.reverse : nullptr;
    const Annotations& noted = flows->annotations();
    if (noted.empty()) {
      stream.write(flow.forward, reverse);
      continue;
    }
    refuse_new_columns(noted, layout);
    stream.write_annotated(flow.forward, reverse, noted);
  }
  // The readers end, too, so nobody knows whether that was all.
  if (interrupted) throw Error("interrupted before all was merged: no output", ExitStatus::interrupted);
  stream.flush();
  output.finish();
  output.end();
}

std::string named(const std::string& path) { return path == "-" ? "standard input" : path; }

bool descriptors_are_left() {
  const Descriptor one(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return one || errno != EMFILE;
}

ExitStatus status_of(const FilesRead& read, const std::optional<ExportReport>& exported) {
  if (exported && !exported->problem.empty()) return ExitStatus::failed;
  return read.damage.empty() && read.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

}  // namespace

void note_unreadable(const Error& error, FilesRead& read) {
  if (error.status() != ExitStatus::failed) throw;
  if (!descriptors_are_left()) throw Error(std::string(error.what()) + " (fewer --most-files; ulimit -n allows more)");
  read.unreadable.push_back(error.what());
}

FileFlows::FileFlows(std::string path, std::optional<FlowFile> file, const MergeOrder& order,
                     const std::atomic<bool>& interrupted, FilesRead& read, CommonColumns& columns)
    : path_(std::move(path)), order_(order), read_(read), columns_(columns), file_(std::move(file)) {
  try {
    if (!file_) file_.emplace(FlowFile::open(path_, interrupted));
  } catch (const Error& error) {  // though it could be opened some time ago
    note_unreadable(error, read_);
    return;
  }
  advance();
}

void FileFlows::advance() {
  Biflow flow;
  if (!next(flow)) {
    head_ = nullptr;
    annotations_ = &kNoAnnotations;
    file_.reset();
    return;
  }
  ++number_;
  if (head_ && !order_.may_follow(flow_, flow)) {
    throw Error(
        fmt::format("{}: flow {} belongs before the one before it, but only files in the order of extract are merged",
                    named(path_), number_));
  }
  if (!had_tcp_ && flow.forward.key.protocol == kProtocolTcp) {
    had_tcp_ = true;
    columns_.add(named(path_), file_->layout(), flow.forward);
  }
  ++read_.flows;
  read_.labels_cut += file_->left_out_labels();
  flow_ = flow;
  head_ = &flow_;
  annotations_ = &file_->annotations();
}

bool FileFlows::next(Biflow& flow) {
  try {
    if (file_->next(flow)) return true;
    read_.columns_cut += file_->leaves_out_columns();
    if (const auto& damage = file_->damage()) read_.damage.push_back({named(path_), *damage});
  } catch (const Error& error) {
    note_unreadable(error, read_);
  }
  return false;
}

MergedFlowFiles::MergedFlowFiles(RecordInputs inputs, const MergeLimits& limits, const std::atomic<bool>& interrupted)
    : named_(std::move(inputs)), limits_(completed(limits)), interrupted_(interrupted) {
  read_.again = named_.again;
  read_.unreadable = named_.unreadable;
  look_into_all();
  order_ = MergeOrder(layout().biflow);
}

void MergedFlowFiles::look_into_all() {
  const bool all_open = named_.files.size() <= limits_.most_open;
  std::vector<std::string> readable;
  for (const std::string& path : named_.files) {
    std::optional<FlowFile> file = opened(path);
    if (!file) continue;
    columns_.add(path == "-" ? "standard input" : path, *file);
    if (!all_open && is_regular(path)) file.reset();
    inputs_.push_back({path, std::move(file)});
    readable.push_back(path);
  }
  if (inputs_.empty()) throw CaptureError(joined(read_.unreadable));
  named_.files = std::move(readable);
}

// Nothing of one that cannot be read, which is nothing for the others.
std::optional<FlowFile> MergedFlowFiles::opened(const std::string& path) {
  try {
    return FlowFile::open(path, interrupted_);
  } catch (const Error& error) {
    if (named_.files.size() == 1 && read_.unreadable.empty()) throw;
    note_unreadable(error, read_);
    return std::nullopt;
  }
}

std::unique_ptr<FlowCursor> MergedFlowFiles::merged() {
  std::size_t at = 0;
  for (; inputs_.size() - at > limits_.most_open; at += limits_.most_open) {
    const std::unique_ptr<FlowCursor> some = merged(at, at + limits_.most_open);
    add_run(write_run(*some, limits_.tmpdir), 0);
  }
  std::vector<std::unique_ptr<FlowCursor>> rest;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) rest.push_back(merged_runs(*level, order_));
  rest.push_back(merged(at, inputs_.size()));
  return std::make_unique<MergedFlows>(std::move(rest), order_);
}

std::unique_ptr<FlowCursor> MergedFlowFiles::merged(std::size_t first, std::size_t last) {
  std::vector<std::unique_ptr<FlowCursor>> flows;
  for (std::size_t i = first; i < last; ++i) {
    flows.push_back(std::make_unique<FileFlows>(inputs_[i].path, std::move(inputs_[i].file), order_, interrupted_,
                                                read_, columns_));
  }
  return std::make_unique<MergedFlows>(std::move(flows), order_);
}

void MergedFlowFiles::add_run(std::shared_ptr<const RunFile> run, std::size_t level) {
  if (levels_.size() == level) levels_.emplace_back();
  levels_[level].push_back(std::move(run));
  if (levels_[level].size() < limits_.most_open) return;
  const Runs full = std::exchange(levels_[level], {});
  add_run(write_run(*merged_runs(full, order_), limits_.tmpdir), level + 1);
}

FilesRead MergedFlowFiles::read() const {
  FilesRead read = read_;
  read.told = told(named_, read.unreadable.size());
  return read;
}

ExitStatus merge(const MergeOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.files, options.recursive, interrupted);
  std::vector<std::string> read_files = inputs.files;
  if (!options.key_file.empty()) read_files.push_back(options.key_file);
  FilesInUse in_use(read_files, packets_in);
  MergedFlowFiles files(std::move(inputs), options.limits, interrupted);
  const RecordLayout layout = layout_of_outputs(files, options.output);
  RecordOutput output(output_options_of_run(options, in_use, interrupted), layout);
  write_all(files, output, layout, interrupted);

  const FilesRead read = files.read();
  for (const std::string& line : warnings_of(read, "in the output")) warn(line);
  const std::optional<ExportReport> exported = output.export_report();
  if (exported && !exported->problem.empty()) warn(exported->problem);
  for (const std::string& line : output.left_over()) warn(line);
  if (!options.quiet) {
    say(fmt::format("  {} flows of {}\n", human_count(static_cast<double>(read.flows)), read.told));
  }
  return status_of(read, exported);
}

}  // namespace warpmeter::inline command
