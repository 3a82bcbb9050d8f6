// From flows to their packets: what `warpmeter packets` does, while you take the rows of its table one batch after the
// other, or until its capture is there, or both.
//
//   warpmeter::PacketSelection run({"trace.pcap"}, {{"filter", "missing_bytes > 0"}});
//   for (ArrowArray rows; run.next(rows);) use(rows);
//
// "filter" is that of the command: which flows. Three options the command line has not: "capture-filter", as in
// pcap-filter(7), "also-read", as of Extraction, and "table", without a value: rows are given beside what an output
// that options name gets. Without an output they are given in any case; with one and without "table" next() waits until
// it is complete. summary() is what `--stats` writes.
//
// Options, threads and errors: job.h.
#pragma once

#include <string>
#include <vector>

#include "warpmeter/flow_source.h"

namespace warpmeter {

// Its rows are no Flow Records, and always Delivery::arrow.
class WARPMETER_PUBLIC PacketSelection : public FlowSource {
 public:
  // Begins at once. `inputs`: capture files and folders, for rows alone segment files, too; "-" is standard input.
  // Throws Error for options that are wrong by themselves; what only reading finds out, next() throws.
  PacketSelection(std::vector<std::string> inputs, const Options& options);
  // Packets of these flows, as of a file that "flows" names: Arrow arrays with the columns of Flow Records. Takes
  // `flows` over, and reads it on a thread of its own. `name` stands for it in messages.
  PacketSelection(std::vector<std::string> inputs, ArrowArrayStream& flows, std::string name, const Options& options);
};

}  // namespace warpmeter
