// Captures, or frames of your own, to Flow Records, in your program: what `warpmeter extract` does, on threads of its
// own, while you take the Flow Records one batch after the other, in the order of the command's output.
//
//   warpmeter::Extraction run({"trace.pcap.zst"}, {{"biflow", ""}, {"idle-timeout", "30s"}});
//   for (std::vector<warpmeter::Biflow> flows; run.next(flows);) use(flows);
//   std::string summary = run.summary();
//
// Three options the command line has not: "progress", without a value (job.h); "filter", a capture filter as in
// pcap-filter(7), and "also-read", the name of a file whose packets this program reads itself and gives through a pipe
// or a feed, so that no output takes its place. Outputs and collectors that options name get the Flow Records as well.
// summary() is what `--stats` writes.
//
// Options, threads and errors: job.h.
#pragma once

#include <string>
#include <vector>

#include "warpmeter/feed.h"
#include "warpmeter/flow_source.h"

namespace warpmeter {

class WARPMETER_PUBLIC Extraction : public FlowSource {
 public:
  // Begins at once. `inputs`: capture files and folders; "-" is standard input. Throws Error for options that are wrong
  // by themselves, and for no feed; what only the run finds out, as of filters and outputs, next() throws.
  Extraction(std::vector<std::string> inputs, const Options& options, Delivery delivery = Delivery::flows);
  Extraction(FrameFeed feed, const Options& options, Delivery delivery = Delivery::flows);
};

}  // namespace warpmeter
