#include "run/run_store.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "run/run_file.h"
#include "run/run_merger.h"

namespace warpmeter {
namespace {

constexpr std::size_t kMostBuffered = 1024;  // partials; 224 KiB

// Half of what this process may open, shared by a few levels.
std::size_t fan_in_by_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 64;
  return std::clamp<std::size_t>(limit.rlim_cur / 8, 4, 256);
}

}  // namespace

RunStore::RunStore(RunStoreOptions options) : options_(std::move(options)) {
  if (options_.fan_in == 0) options_.fan_in = fan_in_by_descriptors();
}

void RunStore::add(PartialChunk chunk) {
  std::vector<PartialChunk> full;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += chunk.capacity() * sizeof(FlowRecord);
    chunks_.push_back(std::move(chunk));
    if (bytes_ < options_.memory_limit) return;
    full.swap(chunks_);
    bytes_ = 0;
  }
  SortedRun sorted(std::move(full), options_.order);
  keep(write_run(sorted));
}

RunStore::File RunStore::write_run(RunCursor& sorted) const {
  RunWriter writer(options_.folder, kMostBuffered, options_.order);
  for (; sorted.head(); sorted.advance()) writer.write(*sorted.head());
  return writer.finish();
}

// Files of one level are merged into one of the next as soon as there are fan_in of them.
void RunStore::keep(File file) {
  for (std::size_t level = 0;; ++level) {
    std::vector<File> full;
    {
      const std::lock_guard lock(mutex_);
      ++runs_written_;
      if (level == levels_.size()) levels_.emplace_back();
      levels_[level].push_back(std::move(file));
      if (levels_[level].size() < options_.fan_in) return;
      full.swap(levels_[level]);
    }
    file = write_run(*merge_files(std::move(full)));
  }
}

std::size_t RunStore::buffered_per_run(std::size_t runs) const {
  const std::size_t fits = options_.memory_limit / sizeof(FlowRecord) / std::max<std::size_t>(runs, 1);
  return std::clamp<std::size_t>(fits, 1, kMostBuffered);
}

std::unique_ptr<RunCursor> RunStore::merge_files(std::vector<File> files) const {
  const std::size_t buffered = buffered_per_run(files.size());
  std::vector<std::unique_ptr<RunCursor>> runs;
  for (File& file : files) runs.push_back(std::make_unique<RunReader>(std::move(file), buffered));
  return std::make_unique<RunMerger>(std::move(runs), options_.order);
}

std::unique_ptr<RunCursor> RunStore::merged(unsigned threads) {
  std::vector<std::vector<PartialChunk>> shares(std::max(threads, 1u));
  for (std::size_t i = 0; i < chunks_.size(); ++i) shares[i % shares.size()].push_back(std::move(chunks_[i]));
  chunks_.clear();
  std::vector<std::unique_ptr<RunCursor>> runs(shares.size());
  const auto sort_share = [&](std::size_t i) {
    runs[i] = std::make_unique<SortedRun>(std::move(shares[i]), options_.order);
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < shares.size(); ++i) helpers.emplace_back(sort_share, i);
    sort_share(0);
  }
  std::vector<File> files;
  for (auto& level : levels_) std::move(level.begin(), level.end(), std::back_inserter(files));
  levels_.clear();
  runs.push_back(merge_files(std::move(files)));
  return std::make_unique<RunMerger>(std::move(runs), options_.order);
}

}  // namespace warpmeter
