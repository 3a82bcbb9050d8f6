#include "flow/runs/run_store.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/threads/in_threads.h"
#include "flow/runs/run_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFewDescriptors = 64;

std::size_t most_descriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 8 * kFewDescriptors;
}

// Half of what this process may open, shared by a few levels. Where that is few, a fifth for all levels: at the end
// there may be a second store, and one more file is written in each.
RunStoreOptions limited_by_descriptors(RunStoreOptions options) {
  const std::size_t most = most_descriptors();
  options.fan_in = std::clamp<std::size_t>(most / 8, 2, 256);
  if (has_few_descriptors()) options.most_files = std::max<std::size_t>(most / 5, 2);
  return options;
}

// Into so many shares, one after the other.
template <class T>
std::vector<std::vector<T>> dealt(std::vector<T> all, std::size_t shares) {
  std::vector<std::vector<T>> hands(shares);
  for (std::size_t i = 0; i < all.size(); ++i) hands[i % shares].push_back(std::move(all[i]));
  return hands;
}

}  // namespace

bool has_few_descriptors() { return most_descriptors() < kFewDescriptors; }

RunStore::RunStore(RunStoreOptions options)
    : options_(options.fan_in ? std::move(options) : limited_by_descriptors(std::move(options))) {}

void RunStore::add(PartialChunk chunk) {
  std::vector<PartialChunk> full;
  {
    const std::lock_guard lock(mutex_);
    bytes_ += chunk.capacity() * sizeof(Partial);
    chunks_.push_back(std::move(chunk));
    if (bytes_ < options_.memory_limit) return;
    full.swap(chunks_);
    bytes_ = 0;
  }
  auto sorted = std::make_shared<const SortedRun>(std::move(full), options_.order);
  std::unique_lock alone(writing_, std::defer_lock);
  if (options_.most_files) alone.lock();  // what another thread writes, or merges, would be open, too
  try {
    keep(written(sorted));
  } catch (const Error& error) {
    if (!options_.failed) throw;
    options_.failed(error.what());
  }
}

RunStore::File RunStore::written(const std::shared_ptr<const SortedRun>& sorted) {
  try {
    SortedRunCursor cursor(sorted, 0, sorted->size());
    return write_run(cursor);
  } catch (const Error&) {
    const std::lock_guard lock(mutex_);
    unwritten_.push_back(sorted);
    throw;
  }
}

void RunStore::add_last(PartialChunk chunk) {
  const std::lock_guard lock(mutex_);
  chunks_.push_back(std::move(chunk));
}

void RunStore::add(std::shared_ptr<const LiveFlows> flows) {
  const std::lock_guard lock(mutex_);
  live_.push_back(std::move(flows));
}

std::unique_ptr<RunStore> RunStore::take() {
  const std::lock_guard lock(mutex_);
  const bool has_files = std::ranges::any_of(levels_, [](const auto& level) { return !level.empty(); });
  if (chunks_.empty() && unwritten_.empty() && live_.empty() && !has_files) return nullptr;
  auto taken = std::make_unique<RunStore>(options_);
  taken->chunks_ = std::exchange(chunks_, {});
  taken->unwritten_ = std::exchange(unwritten_, {});
  taken->live_ = std::exchange(live_, {});
  taken->levels_ = std::exchange(levels_, {});
  bytes_ = 0;
  return taken;
}

RunStore::File RunStore::write_run(PartialCursor& sorted) const {
  RunWriter writer(options_.folder, options_.order);
  for (; sorted.head(); sorted.advance()) writer.write(*sorted.head());
  return std::make_shared<const RunFile>(writer.finish());
}

std::size_t RunStore::files() const {
  std::size_t sum = 0;
  for (const auto& level : levels_) sum += level.size();
  return sum;
}

std::vector<RunStore::File> RunStore::take_files() {
  std::vector<File> files;
  for (auto& level : levels_) std::move(level.begin(), level.end(), std::back_inserter(files));
  for (auto& level : levels_) level.clear();
  return files;
}

// Files of one level are merged into one of the next as soon as there are fan_in of them; those of all levels, as soon
// as there are more than may be open.
void RunStore::keep(File file) {
  for (std::size_t level = 0;; ++level) {
    std::vector<File> full;
    {
      const std::lock_guard lock(mutex_);
      ++runs_written_;
      if (level >= levels_.size()) levels_.resize(level + 1);  // Since the last round, take() may have emptied it.
      levels_[level].push_back(std::move(file));
      if (levels_[level].size() >= options_.fan_in) full.swap(levels_[level]);
      else if (!options_.most_files || files() <= options_.most_files) return;
      else {
        full = take_files();
        level = std::max(level + 2, levels_.size()) - 2;  // the last, so that the rest is seldom merged again
      }
    }
    file = merged(full, level);
  }
}

RunStore::File RunStore::merged(const std::vector<File>& files, std::size_t level) {
  try {
    return write_run(*SortedRuns({}, {}, files, options_.order).in({}));
  } catch (const Error&) {
    const std::lock_guard lock(mutex_);
    if (level >= levels_.size()) levels_.resize(level + 1);
    levels_[level].insert(levels_[level].end(), files.begin(), files.end());
    throw;
  }
}

std::unique_ptr<SortedRuns> RunStore::sorted(unsigned threads) {
  const std::size_t shares = std::max(threads, 1u);
  auto chunks = dealt(std::move(chunks_), shares);
  auto flows = dealt(std::move(live_), shares);
  std::vector<std::shared_ptr<const SortedRun>> in_memory(shares);
  std::vector<std::shared_ptr<const LiveRun>> live(shares);
  in_threads(static_cast<unsigned>(shares), [&](unsigned i) {
    in_memory[i] = std::make_shared<const SortedRun>(std::move(chunks[i]), options_.order);
    live[i] = std::make_shared<const LiveRun>(std::move(flows[i]), options_.order);
  });
  in_memory.insert(in_memory.end(), unwritten_.begin(), unwritten_.end());
  unwritten_.clear();
  return std::make_unique<SortedRuns>(std::move(in_memory), std::move(live), take_files(), options_.order);
}

}  // namespace warpmeter::inline flow
