#include "command/report/report.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/page/page.h"
#include "analysis/page/report_data.h"
#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "base/program/messages.h"

namespace warpmeter::inline command {
namespace {

std::vector<std::string> with_stats_file(std::vector<std::string> read, const ReportOptions& options) {
  if (!options.stats_file.empty()) read.push_back(options.stats_file);
  return read;
}

std::string page_of(const ReportData& data, const FilesRead& read, const ReportOptions& options,
                    std::vector<std::string> remarks) {
  PageOptions page_options{.title = options.title,
                           .rows = options.rows,
                           .inputs = options.inputs,
                           .damage = {},
                           .files = read.told,
                           .unreadable = read.unreadable,
                           .metering = std::move(remarks),
                           .interrupted = !read.all};
  for (const DamagedFile& file : read.damage) page_options.damage.emplace_back(file.name, file.damage);
  return page(data, page_options);
}

ReportSummary report(FlowFiles& flows, FilesInUse& in_use, const ReportOptions& options,
                     const std::atomic<bool>& interrupted) {
  in_use.claim(options.output);
  std::vector<std::string> remarks;
  if (!options.stats_file.empty()) remarks = metering_remarks(options.stats_file);
  OutputFile output(options.output, &interrupted, options.gives_up);

  ReportData data;
  for (Biflow flow; flows.next(flow);) data.add(flow, flows.annotations());

  // All flows are in the sums; the files are no longer needed.
  ReportSummary summary{flows.read(), ExitStatus::ok};
  output.write(page_of(data, summary.read, options, std::move(remarks)));
  if (options.before_page) options.before_page();
  output.commit();
  if (!summary.read.all) summary.status = ExitStatus::interrupted;
  else if (!summary.read.damage.empty() || !summary.read.unreadable.empty()) summary.status = ExitStatus::damaged;
  return summary;
}

}  // namespace

ExitStatus report(const ReportOptions& options, const std::atomic<bool>& interrupted) {
  const ReportSummary summary = report_and_sum_up(options, interrupted);
  for (const std::string& line : warnings_of(summary.read, "in the page")) warn(line);
  if (!summary.read.told.empty()) say(fmt::format("  {}\n", summary.read.told));
  return summary.status;
}

ReportSummary report_and_sum_up(const ReportOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.inputs, options.recursive, interrupted);
  FilesInUse in_use(with_stats_file(inputs.files, options));
  FlowFiles flows(std::move(inputs), interrupted);
  return report(flows, in_use, options, interrupted);
}

ReportSummary report_from(std::unique_ptr<RecordReader> reader, const ReportOptions& options,
                          const std::atomic<bool>& interrupted) {
  FilesInUse in_use(with_stats_file({}, options));
  FlowFiles flows(std::move(reader), options.inputs.front(), interrupted);
  return report(flows, in_use, options, interrupted);
}

}  // namespace warpmeter::inline command
