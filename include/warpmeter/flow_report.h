// The page of `warpmeter report`, from files of Flow Records or from those in this program.
//
//   warpmeter::FlowReport report({"flows.csv"}, "report.html", {{"title", "Uplink"}});
//   report.wait();
//
// summary() tells how many flows were read, of damage, and of files that could not be read. Options, threads and
// errors: job.h.
#pragma once

#include <string>
#include <vector>

#include "warpmeter/arrow_c_data.h"
#include "warpmeter/job.h"

namespace warpmeter {

class WARPMETER_PUBLIC FlowReport : public Job {
 public:
  // Begins at once. `inputs`: files of Flow Records, folders of them, names of rotated sets; "-" is standard input.
  // `output`: the page, which appears under its name when it is complete. Throws Error for options that are wrong.
  FlowReport(std::vector<std::string> inputs, const std::string& output, const Options& options = {});
  // From Arrow arrays with the columns of Flow Records. Takes `flows` over, and reads it on a thread of its own. `name`
  // stands for it in messages and on the page.
  FlowReport(ArrowArrayStream& flows, std::string name, const std::string& output, const Options& options = {});

  // Until the page is there. Throws Error if it cannot be made.
  void wait();
};

}  // namespace warpmeter
