// The files of a trace in the order in which they are read. Before anything is read each regular file is opened, looked
// into as far as its first packet, and closed again, so that mistakes show early.
//
// By time: files follow each other by the times of their first packets, those that are alike by their names; files
// without packets come last. What is no regular file (a pipe) comes where it was named: files named before it come
// before it, and only among themselves in the order of time.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/input_format.h"

namespace warpmeter::inline packet {

enum class FileOrder : std::uint8_t { time, given, name };

struct TraceFile {
  std::string path;  // "-" is standard input
  bool regular = false;
  std::optional<std::int64_t> first_ns =
      {};  // the time of its first packet; nothing: it has none, or is no regular file
  // Files of one group whose first packets have times are merged by time where they overlap.
  unsigned group = 0;
};

struct TraceFiles {
  std::vector<TraceFile> files;
  std::vector<std::string> unreadable;  // messages, a file each, that is not among `files`
  std::uint64_t bytes = 0;              // of all files as they lie on the disk; 0 if unknown
  std::uint64_t again = 0;              // regular files that are another one under a second name; not among `files`
  bool unpacks = false;                 // some are compressed
};

// A file that is there under several names (a link, hard links, a folder beside a file in it) is read once, but in the
// order given. Throws nothing that concerns one file alone.
TraceFiles look_at_files(std::vector<std::string> paths, FileOrder order, const std::atomic<bool>& stop,
                         const CaptureOptions& options);

// Must the packets of the file at `next` be merged into those of the one before it, if their times overlap?
bool merges_with(const TraceFile& before, const TraceFile& next);

}  // namespace warpmeter::inline packet
