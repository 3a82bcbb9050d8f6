// The flows of a file, which must be in the order of an output.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "command/merge/common_columns.h"
#include "command/merge/flow_cursor.h"
#include "record/read/flow_files.h"
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

}  // namespace warpmeter::inline command
