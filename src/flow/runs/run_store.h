// Takes finished partials from any thread and gives them back as one sorted sequence. Up to a limit they stay in
// memory; beyond it they go to run files. Live flows stay where they are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/thread_annotations.h"
#include "flow/runs/cursors.h"
#include "flow/runs/run_file.h"
#include "flow/runs/sorted_runs.h"

namespace warpmeter::inline flow {

struct RunStoreOptions {
  std::string folder;          // for run files
  RecordOrder order;           // in which sorted() gives them back
  std::uint64_t memory_limit;  // bytes of partials in memory
  std::size_t fan_in = 0;      // runs merged at once, also how many files of a level are open; 0 = what the limit of
                               // file descriptors allows
  std::size_t most_files = 0;  // open at once, of all levels, but for the one that is written; 0 = fan_in is enough
  // Told why a run file could not be written, from any thread, in place of an error for who adds; empty: it throws.
  std::function<void(const std::string& why)> failed = {};
};

// This process may open so few files that stores are not for several threads at once.
bool has_few_descriptors();

class RunStore {
 public:
  explicit RunStore(RunStoreOptions options);

  // From any thread. May write a run, on this thread; throws Error if that fails, or
  // tells RunStoreOptions::failed. What was added stays all the same, in memory.
  void add(PartialChunk chunk);

  // Stays in memory, whatever the limit: for the last ones, which are read back at once. From any thread. REQUIRES: no
  // add() of a chunk comes behind it, which would take it along to a file.
  void add_last(PartialChunk chunk);

  // Live flows are read where they are, when it is their turn. They do not count as memory here.
  void add(std::shared_ptr<const LiveFlows> flows);

  // All that was added until now, apart, null if that is nothing; what is added from now on stays here. From any
  // thread.
  std::unique_ptr<RunStore> take();

  // All that was added, sorted. Uses up to `threads` threads to sort what is in memory. No add() after that.
  std::unique_ptr<SortedRuns> sorted(unsigned threads);

  // When nobody adds any more.
  std::uint64_t runs_written() const { return runs_written_; }

 private:
  using File = std::shared_ptr<const RunFile>;
  File write_run(PartialCursor& sorted) const;
  File written(const std::shared_ptr<const SortedRun>& sorted);
  void keep(File file);
  File merged(const std::vector<File>& files, std::size_t level);
  // REQUIRES, of both: mutex_ is held, or nobody adds any more.
  std::size_t files() const;
  std::vector<File> take_files();

  RunStoreOptions options_;
  std::mutex writing_;  // where files are few: of who writes them
  std::mutex mutex_;
  std::vector<PartialChunk> chunks_ WARPMETER_GUARDED_BY(mutex_);
  std::uint64_t bytes_ WARPMETER_GUARDED_BY(mutex_) = 0;
  // No file could be written of these.
  std::vector<std::shared_ptr<const SortedRun>> unwritten_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<const LiveFlows>> live_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<std::vector<File>> levels_ WARPMETER_GUARDED_BY(mutex_);  // each shorter than fan_in
  std::uint64_t runs_written_ WARPMETER_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpmeter::inline flow
