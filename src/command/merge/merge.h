// `warpmeter merge`: files of Flow Records, each in the order of an output, to outputs in that order. Of the parts of a
// trace that share no flows, those are the outputs of `extract` for the whole, byte for byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/merge/common_columns.h"
#include "flow/runs/flow_cursor.h"
#include "flow/runs/run_file.h"
#include "record/read/flow_files.h"
#include "record/read/record_inputs.h"
#include "record/write/output_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Called by handlers of what came of a file that cannot be read: notes it, since what is wrong with one file is nothing
// for the others. Throws it again if it is something else; throws Error if it is that no more files may be open.
void note_unreadable(const Error& error, FilesRead& read);

class FileFlows : public FlowCursor {
 public:
  // Opens the file, if it is not open. What is found on the way goes to `read`: how many flows, damage, and what makes
  // the rest of the file unreadable; and to `columns`, to which the file was added. Both must outlive this. Throws
  // Error where the flows are in another order, or have other columns.
  FileFlows(std::string path, std::optional<FlowFile> file, const MergeOrder& order,
            const std::atomic<bool>& interrupted, FilesRead& read, CommonColumns& columns);
  void advance() override;

 private:
  bool next(Biflow& flow);

  const std::string path_;
  const MergeOrder order_;
  FilesRead& read_;
  CommonColumns& columns_;
  bool had_tcp_ = false;
  std::optional<FlowFile> file_;
  Biflow flow_;
  std::uint64_t number_ = 0;  // of the current flow in the file
};

struct MergeLimits {
  std::size_t most_open = 0;  // files at once; 0: a share of what this process may open
  std::string tmpdir;         // for run files
};

// Files of Flow Records, each in the order of an output, as one sequence in that order. However many there are: those
// that cannot be open at once are merged in passes, into run files.
class MergedFlowFiles {
 public:
  // Looks into all of them. One that cannot be read is passed over; throws Error (CaptureError) if there is no other,
  // and Error where their columns differ. Once `interrupted` turns true, the flows end.
  MergedFlowFiles(RecordInputs inputs, const MergeLimits& limits, const std::atomic<bool>& interrupted);

  // Of all files, as their first flows tell it.
  RecordLayout layout() const { return columns_.layout(); }

  // All their flows, once. Throws Error, also while they are taken, where a file is in another order.
  std::unique_ptr<FlowCursor> merged();

  FilesRead read() const;  // so far

 private:
  struct Input {
    std::string path;
    std::optional<FlowFile> file;  // that has been opened already
  };
  using Runs = std::vector<std::shared_ptr<const RunFile>>;

  void look_into_all();
  std::optional<FlowFile> opened(const std::string& path);
  std::unique_ptr<FlowCursor> merged(std::size_t first, std::size_t last);
  void add_run(std::shared_ptr<const RunFile> run, std::size_t level);

  RecordInputs named_;
  const MergeLimits limits_;
  const std::atomic<bool>& interrupted_;
  std::vector<Input> inputs_;
  CommonColumns columns_;
  MergeOrder order_;
  std::vector<Runs> levels_;  // of runs that were merged so many times, of the files in their order
  FilesRead read_;
};

// What the user asked of `warpmeter merge`, parsed and with defaults filled in.
struct MergeOptions {
  std::vector<std::string> files;  // as given: files, folders, names of rotated sets; "-" is standard input
  bool recursive = false;          // folders with all below them
  std::string key_file;            // of --anonymize: no output takes its place; empty: none
  OutputOptions output;
  MergeLimits limits;
  bool quiet = false;
};

// Damage and a line about what was merged go to standard error. Throws Error if it cannot be done or finished; of
// status interrupted, once `interrupted` turns true before all is merged: half of the flows, in the order of their
// keys, are no use to anybody. There are no output files then, but those that --rotate has completed.
ExitStatus merge(const MergeOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
