#include "warpmeter/selection.h"

#include <utility>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "app/library/job_work.h"
#include "command/show/show.h"

namespace warpmeter {
namespace {

using Show = std::function<ShowSummary(const ShowOptions& options, const std::atomic<bool>& interrupted)>;

std::unique_ptr<JobWork> begin_selection(ShowOptions options, Delivery delivery, Show show) {
  if (delivery == Delivery::flows && !(options.sum_keys.empty() && options.columns.empty())) {
    throw Error("--sum and --columns make rows that are no Flow Records: Delivery::arrow gives them",
                ExitStatus::usage);
  }
  auto work = std::make_unique<JobWork>(delivery);
  JobWork* const job = work.get();
  options.output.taker = [job](const RecordLayout& layout) { return job->taker(layout); };
  options.output.gives_up = &job->is_dropped();
  options.row_taker = [job] { return job->row_taker(); };
  job->begin([job, options = std::move(options), show = std::move(show)] {
    const ShowSummary shown = show(options, job->interrupted());
    for (const std::string& line : lines_of(shown.read, "in the output")) job->warn(line);
    return JobEnd{summary_json(shown)};
  });
  return work;
}

std::unique_ptr<JobWork> begin_selection(std::vector<std::string> inputs, const Options& given, Delivery delivery) {
  ShowOptions options = with_printable_failure([&] { return show_options_of(given); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.files = std::move(inputs);
  return begin_selection(std::move(options), delivery, show_and_sum_up);
}

std::unique_ptr<JobWork> begin_selection(const ArrowInput& input, const Options& given, Delivery delivery) {
  return begin_selection(with_printable_failure([&] { return show_options_of(given); }), delivery,
                         [input](const ShowOptions& options, const std::atomic<bool>& interrupted) {
                           return show_from(input.open(), input.name(), options, interrupted);
                         });
}

}  // namespace

Selection::Selection(std::vector<std::string> inputs, const Options& options, Delivery delivery)
    : FlowSource(begin_selection(std::move(inputs), options, delivery)) {}

Selection::Selection(ArrowArrayStream& flows, std::string name, const Options& options, Delivery delivery)
    : FlowSource(begin_selection(ArrowInput(flows, std::move(name)), options, delivery)) {}

}  // namespace warpmeter
