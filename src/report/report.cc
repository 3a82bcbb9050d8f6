#include "report/report.h"

#include <fmt/format.h>

#include "export/output_file.h"
#include "input/flow_files.h"
#include "page/page.h"
#include "page/report_data.h"
#include "program/files_in_use.h"
#include "program/messages.h"
#include "report/metering_remarks.h"

namespace warpmeter {

ExitStatus report(const ReportOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.inputs, options.recursive, interrupted);
  std::vector<std::string> read = inputs.files;
  if (!options.stats_file.empty()) read.push_back(options.stats_file);
  FilesInUse in_use(std::move(read));
  FlowFiles flows(std::move(inputs), interrupted);
  in_use.claim(options.output);
  std::vector<std::string> remarks;
  if (!options.stats_file.empty()) remarks = metering_remarks(options.stats_file);
  OutputFile output(options.output, &interrupted);

  ReportData data;
  for (Biflow flow; flows.next(flow);) data.add(flow);
  const bool cut = !flows.read_all();

  // All flows are in the sums; the files are no longer needed.
  PageOptions page_options{
      .title = options.title, .rows = options.rows, .inputs = options.inputs, .damage = {}, .interrupted = cut};
  if (flows.worth_telling()) page_options.files = flows.told();
  page_options.unreadable = flows.unreadable();
  page_options.metering = std::move(remarks);
  for (const DamagedFile& file : flows.damage()) page_options.damage.emplace_back(file.name, file.damage);
  output.write(page(data, page_options));
  output.commit();

  for (const auto& [name, damage] : page_options.damage) {
    warn(
        fmt::format("{}: damaged at byte {}: {}; what came before is in the page", name, damage.offset, damage.reason));
  }
  for (const std::string& message : flows.unreadable()) warn(message);
  if (flows.worth_telling()) say(fmt::format("  {}\n", flows.told()));
  if (cut) return ExitStatus::interrupted;
  return page_options.damage.empty() && flows.unreadable().empty() ? ExitStatus::ok : ExitStatus::damaged;
}

}  // namespace warpmeter
