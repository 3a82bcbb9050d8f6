#include "warpmeter/extraction.h"

#include <utility>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "app/library/job_work.h"
#include "command/extract/extract.h"
#include "core/typed_columns.h"
#include "pipeline/run/metering_run.h"

namespace warpmeter {
namespace {

using Extract = std::function<Summary(const ExtractOptions& options, const std::atomic<bool>& interrupted)>;

std::unique_ptr<JobWork> begin_extraction(ExtractOptions options, Delivery delivery, Extract run) {
  auto work = std::make_unique<JobWork>(delivery);
  JobWork* const job = work.get();
  options.output.taker = [job](const RecordLayout& layout) { return job->taker(layout); };
  options.output.gives_up = &job->is_dropped();
  options.warn = [job](const std::string& line) { job->warn(line); };
  job->know_columns(arrow_fields(typed_columns(layout_of_run(options))));
  job->begin([job, options = std::move(options), run = std::move(run)] {
    const Summary summary = run(options, job->interrupted());
    return JobEnd{summary_json(summary), summary.lost_some() ? problem_of(summary) : ""};
  });
  return work;
}

std::unique_ptr<JobWork> begin_extraction(std::vector<std::string> inputs, const Options& given, Delivery delivery) {
  ExtractOptions options = with_printable_failure([&] { return extract_options_of(given); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.inputs = std::move(inputs);
  return begin_extraction(std::move(options), delivery, extract_and_sum_up);
}

std::unique_ptr<JobWork> begin_extraction(FrameFeed feed, const Options& given, Delivery delivery) {
  if (!feed) throw Error("there is no feed of frames", ExitStatus::usage);
  const auto run = [feed = std::make_shared<FrameFeed>(std::move(feed))](const ExtractOptions& options,
                                                                         const std::atomic<bool>& interrupted) {
    return extract_from(std::make_unique<FeedSource>(std::move(*feed), interrupted), options, interrupted);
  };
  return begin_extraction(with_printable_failure([&] { return extract_options_of(given); }), delivery, run);
}

}  // namespace

Extraction::Extraction(std::vector<std::string> inputs, const Options& options, Delivery delivery)
    : FlowSource(begin_extraction(std::move(inputs), options, delivery)) {}

Extraction::Extraction(FrameFeed feed, const Options& options, Delivery delivery)
    : FlowSource(begin_extraction(std::move(feed), options, delivery)) {}

}  // namespace warpmeter
