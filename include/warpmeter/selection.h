// Flow Records from files, filtered, sorted, summed: what `warpmeter show` does, while you take what it shows one batch
// after the other.
//
//   warpmeter::Selection run({"flows.parquet"}, {{"filter", "retransmission_share > 1%"}, {"top", "10 by bytes"}});
//   for (std::vector<warpmeter::Biflow> flows; run.next(flows);) use(flows);
//
// With "sum" or "columns", what it gives are rows and no Flow Records: for Delivery::arrow. Their columns are those of
// the command's CSV, with types. An output that options name gets the same as well. summary() tells how many flows were
// read, and met the filter, the totals of these, damage, and files that could not be read.
//
// Options, threads and errors: job.h.
#pragma once

#include <string>
#include <vector>

#include "warpmeter/flow_source.h"

namespace warpmeter {

class WARPMETER_PUBLIC Selection : public FlowSource {
 public:
  // Begins at once. `inputs`: files of Flow Records, folders of them, names of rotated sets; "-" is standard input.
  // Throws Error for options that are wrong by themselves, as of filters; what only reading finds out, next() throws.
  Selection(std::vector<std::string> inputs, const Options& options, Delivery delivery = Delivery::flows);
  // From Arrow arrays with the columns of Flow Records. Takes `flows` over, and reads it on a thread of its own. `name`
  // stands for it in messages.
  Selection(ArrowArrayStream& flows, std::string name, const Options& options, Delivery delivery = Delivery::flows);
};

}  // namespace warpmeter
