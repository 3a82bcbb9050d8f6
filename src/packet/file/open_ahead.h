// Opens the files of a trace in their order, a few of them before their turn: while one is read, the system fetches the
// beginning of the next ones, or their threads unpack it. Only so few descriptors are open at once, however many files.
//
// Threads: one at a time.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/capture_reader.h"
#include "packet/file/trace_files.h"

namespace warpmeter::inline packet {

class OpenAhead {
 public:
  static constexpr std::size_t kAhead = 3;  // files

  // `files` and `stop` must outlive it.
  OpenAhead(const std::vector<TraceFile>& files, const std::atomic<bool>& stop, const CaptureOptions& options)
      : files_(files), stop_(stop), options_(options) {}

  struct Opened {
    std::unique_ptr<CaptureReader> reader;  // null: it cannot be read
    std::string problem;                    // why
    std::size_t file = 0;                   // its number in `files`
  };

  // Nothing at the end.
  std::optional<Opened> next();

  // Nobody wants any more.
  void close() {
    ready_.clear();
    next_file_ = files_.size();
  }

 private:
  Opened open_next();
  void open_ahead();

  const std::vector<TraceFile>& files_;
  const std::atomic<bool>& stop_;
  const CaptureOptions options_;
  std::size_t next_file_ = 0;
  std::deque<Opened> ready_;
};

}  // namespace warpmeter::inline packet
