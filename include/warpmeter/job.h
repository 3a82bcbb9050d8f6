// What the library does on threads of its own, as one command line of the program would: what Extraction, Selection,
// FlowReport, Reassembly and StreamReader have in common.
//
// Options are those of the command's --help, by their long names without dashes, with values as they are written there,
// or none. Nothing is written to standard output, unless an output of the options is "-", nor to standard error; no
// signal handler is installed.
//
// Threads: any calls interrupt(), ready() and progress(), one at a time the others. Several may run at once.
// Errors: Error (status.h) with one line for the user, in which names of files are escaped as the command does it;
// status() is ExitStatus::usage for wrong options. Where none of the inputs can be read it is a CaptureError.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter {

struct Option {
  std::string name;
  std::string value;  // "" for options that have none
};
using Options = std::vector<Option>;

// How far a job has read its captures.
struct ReadingProgress {
  std::uint64_t bytes = 0;         // of the files, as they lie on the disk
  std::uint64_t bytes_in_all = 0;  // 0: not known, as of a pipe
  std::uint64_t packets = 0;
};

class JobWork;

class WARPMETER_PUBLIC Job {
 public:
  // Ends what still runs, as soon as it can: no thread and no temporary file is left behind. Outputs that are not
  // complete do not appear; who reads a pipe among them, and takes nothing for half a second, gets no more.
  virtual ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Whether it has something to give, or has ended; waits for it at most so long, for ever with milliseconds::max().
  bool ready(std::chrono::milliseconds at_most);

  // As Ctrl-C does to the command: no more is read, and what was read is used. A slow collector over UDP has
  // ten seconds for it; who reads a pipe among the outputs is waited for, as the command does: ready() tells whether it
  // comes to an end, and who wants none drops it.
  //
  // Before any data an Extraction ends without Flow Records, streams end without blocks. A Selection or FlowReport,
  // which does not even know its columns then, throws Error with ExitStatus::interrupted.
  void interrupt() noexcept;

  // Some times a second anew, and once all is read, of a job that reads captures and has the option "progress"; of
  // others it stays at 0. A thread counts for it, which no run has that nobody asks.
  ReadingProgress progress() const;

  // As dropping it does, from any thread: what waits for it meets its end soon. It gives no more, and throws Error.
  void give_up() noexcept;

  // JSON. Of one that failed it has "exit_status" and "error". REQUIRES: it has ended, and all it gives was taken.
  std::string summary() const;

  // Lines for the user, as of files that are damaged or cannot be read. REQUIRES: as summary().
  std::vector<std::string> warnings() const;

 protected:
  explicit Job(std::unique_ptr<JobWork> work);
  JobWork& work() const { return *work_; }

 private:
  const std::unique_ptr<JobWork> work_;
};

}  // namespace warpmeter
