#include "command/merge/merged_flow_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "command/merge/flow_cursor.h"
#include "packet/file/inputs.h"
#include "warpmeter/status.h"

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

std::unique_ptr<FlowCursor> merged_runs(const std::vector<std::shared_ptr<const RunFile>>& runs,
                                        const MergeOrder& order) {
  std::vector<std::unique_ptr<FlowCursor>> flows;
  for (const auto& run : runs) flows.push_back(std::make_unique<RunFlows>(run));
  return std::make_unique<MergedFlows>(std::move(flows), order);
}

}  // namespace

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

}  // namespace warpmeter::inline command
