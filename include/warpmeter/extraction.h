// Captures, or frames of your own, to Flow Records, in your program: what `warpmeter extract` does, on threads of its
// own, while you take the Flow Records one batch after the other, in the order of the command's output.
//
//   warpmeter::Extraction run({"trace.pcap.zst"}, {{"biflow", ""}, {"idle-timeout", "30s"}});
//   for (std::vector<warpmeter::Biflow> flows; run.next(flows);) use(flows);
//   std::string summary = run.summary();
//
// Options are those of `warpmeter extract --help`, by their long names without dashes, with values as they are written
// there, or none; the option that the command line has not is "filter", a capture filter as in pcap-filter(7). Outputs
// and collectors that options name get the Flow Records as well; standard output only if
// one is "-".
//
// What waits to be taken is bounded: metering goes on only as fast as somebody takes. Nothing else is written to
// standard output or error; no signal handler is installed.
//
// Threads: one at a time calls next(); interrupt() and ready() any. Several Extractions may run at once.
// Errors: Error (status.h) with one line for the user; status() is ExitStatus::usage for wrong options. Where none of
// the inputs can be read it is a CaptureError.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "warpmeter/arrow_c_data.h"
#include "warpmeter/biflow.h"
#include "warpmeter/capture_error.h"
#include "warpmeter/frame.h"
#include "warpmeter/public.h"
#include "warpmeter/status.h"

namespace warpmeter {

struct Option {
  std::string name;
  std::string value;  // "" for options that have none
};
using Options = std::vector<Option>;

// Puts the next frames, in order of capture, into an empty block; false, or none: there are no more. Their bytes stay
// as long as the block's leases are held; without leases, until the Extraction has ended. Called by one thread at a
// time, not always the same. What it throws ends the run.
using FrameFeed = std::function<bool(FrameBlock&)>;

// How Flow Records are given.
enum class Delivery { flows, arrow };

class WARPMETER_PUBLIC Extraction {
 public:
  // Begins at once. `inputs`: capture files and folders; "-" is standard input. Throws Error for options that are wrong
  // by themselves; what only the run finds out, as of filters and outputs, next() throws.
  Extraction(std::vector<std::string> inputs, const Options& options, Delivery delivery = Delivery::flows);
  Extraction(FrameFeed feed, const Options& options, Delivery delivery = Delivery::flows);

  // Ends what still runs, as soon as it can: no thread and no temporary file is left behind. Outputs that are not
  // complete do not appear.
  ~Extraction();
  Extraction(const Extraction&) = delete;
  Extraction& operator=(const Extraction&) = delete;

  // Waits for the next Flow Records and replaces what `flows` holds. Of a Flow Record, `absent` has all columns whose
  // values it has not (columns.h). False: there are no more, outputs are complete, and
  // summary() is there. Throws Error if the run could not be done or finished.
  bool next(std::vector<Biflow>& flows);

  // The same as a struct array with the columns of schema(); `to` is overwritten, and for the caller to release.
  bool next(ArrowArray& to);

  // The same for every run with these options. For the caller to release.
  void schema(ArrowSchema& to) const;

  // Whether next() would return now; waits for it at most so long.
  bool ready(std::chrono::milliseconds at_most);

  // As Ctrl-C does to the command: no more is read, and what was read is metered and given.
  void interrupt() noexcept;

  // JSON, as `--stats` writes it. REQUIRES: next() has returned false.
  std::string summary() const;

  // Lines for the user, as of files that are damaged or cannot be read. REQUIRES: as summary().
  std::vector<std::string> warnings() const;

 private:
  class Run;
  const std::unique_ptr<Run> run_;
};

}  // namespace warpmeter
