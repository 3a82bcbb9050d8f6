#include "warpmeter/flow_report.h"

#include <utility>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "app/library/job_work.h"
#include "command/report/report.h"

namespace warpmeter {
namespace {

using Write = std::function<ReportSummary(const ReportOptions& options, const std::atomic<bool>& interrupted)>;

std::unique_ptr<JobWork> begin_report(ReportOptions options, Write write) {
  auto work = std::make_unique<JobWork>();
  JobWork* const job = work.get();
  options.gives_up = &job->is_dropped();
  options.before_page = [job] { job->check_wanted(); };
  job->begin([job, options = std::move(options), write = std::move(write)] {
    const ReportSummary written = write(options, job->interrupted());
    for (const std::string& line : lines_of(written.read, "in the page")) job->warn(line);
    return JobEnd{summary_json(written)};
  });
  return work;
}

std::unique_ptr<JobWork> begin_report(std::vector<std::string> inputs, const std::string& output,
                                      const Options& given) {
  ReportOptions options = with_printable_failure([&] { return report_options_of(given, output); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.inputs = std::move(inputs);
  return begin_report(std::move(options), report_and_sum_up);
}

std::unique_ptr<JobWork> begin_report(const ArrowInput& input, const std::string& output, const Options& given) {
  ReportOptions options = with_printable_failure([&] { return report_options_of(given, output); });
  options.inputs = {input.name()};
  return begin_report(std::move(options), [input](const ReportOptions& all, const std::atomic<bool>& interrupted) {
    return report_from(input.open(), all, interrupted);
  });
}

}  // namespace

FlowReport::FlowReport(std::vector<std::string> inputs, const std::string& output, const Options& options)
    : Job(begin_report(std::move(inputs), output, options)) {}

FlowReport::FlowReport(ArrowArrayStream& flows, std::string name, const std::string& output, const Options& options)
    : Job(begin_report(ArrowInput(flows, std::move(name)), output, options)) {}

void FlowReport::wait() { work().next(); }

}  // namespace warpmeter
