// --state: a capture of a folder in steps, after each of which the files that were read, and where their Flow Records
// are, is written down in one stroke. Whatever ends the process, the next one goes on behind the last step: no Flow
// Record is lost, none comes twice.
//
// A step: all that was read is metered and exported; the files of the outputs are complete and on the disk, but hidden.
// So are, in files of their own, the flows that live, as they would end here. Then the state is replaced, and that is
// the moment. Then the files get their names. Who goes on after a crash names those that have none; the flows that
// lived have ended there, since nobody has their state any more. While the process goes on, the next step replaces
// them.
//
// A disk without room, for the outputs or the state, ends nothing: the state stays as it was, the step is tried again,
// and no more is read until it is done. Only a run that is told to end then fails, and the next one goes on.
//
// Threads: one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "command/live/live.h"
#include "core/record_writer.h"
#include "packet/folder/growing_folder.h"
#include "packet/folder/state_file.h"
#include "pipeline/metering/extract_options.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/metering_run.h"
#include "record/write/named_later.h"

namespace warpmeter::inline command {

class Checkpoints {
 public:
  // Takes the state of an earlier run, if there is one, and ends what that began. Throws Error: what is asked for
  // cannot be exact (usage), the state is in use, damaged, or of another folder.
  explicit Checkpoints(const LiveOptions& options);

  // Of these outputs, which have yet to be opened, files are named here.
  void take_outputs(OutputOptions& outputs);

  const SeenFiles& done() const { return state_.done; }  // that were read by earlier runs

  // Files that --delete-after has tried to delete, and that are there still.
  std::size_t not_deleted() const { return not_deleted_.size(); }

  // Meters all that the folder gives. `living`: `output` without those who watch the records, for flows that go on.
  // `step_now`: a step is wanted, before the interval ends; set by any thread, taken back here.
  ExportedRecords run(const ExtractOptions& options, MeteringWork& work, GrowingFolder& folder, RecordWriter& output,
                      RecordWriter& living, std::atomic<bool>& step_now);

 private:
  using Flows = std::vector<std::shared_ptr<const LiveFlows>>;

  void end_what_was_begun();
  void remove_hidden() const;
  void remove_hidden_in(const std::string& folder) const;
  std::int64_t interval() const;
  void take_step(const Flows& living, PartialChunk noted, bool last);
  std::vector<LaterName> hold(const Flows& living, PartialChunk noted);
  template <class Do>
  void try_until_done(Do&& what);
  void wait_to_try_again(std::chrono::milliseconds longest);
  void delete_done();

  const bool delete_after_;
  const std::int64_t rotate_ns_;
  const std::vector<std::string> output_files_;
  StateFile file_;
  FolderState state_;
  std::unique_ptr<NamedLater> names_;
  std::int64_t interval_ = 0;            // of the step before
  std::set<std::uint64_t> not_deleted_;  // by number, each told once

  // While it runs.
  const ExtractOptions* options_ = nullptr;
  GrowingFolder* folder_ = nullptr;
  RecordWriter* output_ = nullptr;
  RecordWriter* living_ = nullptr;
  std::atomic<bool>* step_now_ = nullptr;
  bool failing_ = false;  // what a step has to write could not be written
};

// Throws Error (usage) where --state or --delete-after cannot be exact, and where --resync has no folder.
void check_state_options(const LiveOptions& options);

}  // namespace warpmeter::inline command
