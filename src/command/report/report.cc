#include "command/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/page/page.h"
#include "analysis/page/report_data.h"
#include "analysis/query/filter.h"
#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "packet/file/capture_reader.h"
#include "record/columns/column_option.h"

namespace warpmeter::inline command {
namespace {

// What is read beside the flows as well.
std::vector<std::string> with_stats_files(std::vector<std::string> read, const ReportOptions& options) {
  read.insert(read.end(), options.geo.begin(), options.geo.end());
  for (const std::string& file : {options.stats_file, options.coalescing_file}) {
    if (!file.empty()) read.push_back(file);
  }
  return read;
}

// What a page does not take the place of: all but other pages, and files with nothing in them. Names of flows and of
// the page are mixed up soon.
std::string no_page_in(const std::string& path) {
  constexpr std::string_view kBegin = "<!doctype html>";
  if (std::string packets = packets_in(path); !packets.empty()) return packets;
  std::string begin(kBegin.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file.gcount() == 0 || begin == kBegin ? "" : "no page";
}

// What others wrote of the same captures.
struct Beside {
  std::vector<std::string> remarks;
  CoalescingSavings coalescing;
};

Beside read_beside(const ReportOptions& options) {
  Beside beside;
  if (!options.stats_file.empty()) beside.remarks = metering_remarks(options.stats_file);
  if (!options.coalescing_file.empty()) beside.coalescing = coalescing_savings(options.coalescing_file);
  return beside;
}

std::string page_of(const ReportData& data, const FilesRead& read, const ReportOptions& options, Beside beside) {
  PageOptions page_options{.title = options.title,
                           .rows = options.rows,
                           .inputs = options.inputs,
                           .filter = options.filter,
                           .geo = options.geo,
                           .recursive = options.recursive,
                           .damage = {},
                           .files = read.told,
                           .unreadable = read.unreadable,
                           .metering = std::move(beside.remarks),
                           .coalescing = std::move(beside.coalescing),
                           .interrupted = !read.all};
  for (const DamagedFile& file : read.damage) page_options.damage.emplace_back(file.name, file.damage);
  return page(data, page_options);
}

// Throws Error (usage): it is none, or asks for a column that no file has.
std::optional<Filter> filter_of(const ReportOptions& options, const ExtraColumns& of_files) {
  if (options.filter.empty()) return std::nullopt;
  const Filter filter(options.filter, "filter", OtherNames::doubt);
  for (const Doubt& doubt : filter.doubts()) {
    if (!has_noted_column(of_files, doubt.name)) throw Error(doubt.message, ExitStatus::usage);
  }
  return filter;
}

// "DE, AS64496 Example"; the more exact of city and country.
std::string where_is(GeoDatabases& geo, std::uint8_t version, const std::uint8_t* address) {
  std::uint8_t whole[16] = {};
  std::memcpy(whole, address, sizeof whole);
  const auto& [country, city, asn, as_org] = geo.of(version, whole);
  std::string text = city.empty() ? country : country.empty() ? city : city + ", " + country;
  if (!asn.empty()) text += (text.empty() ? "AS" : ", AS") + asn;
  if (!as_org.empty()) text += (asn.empty() && !text.empty() ? ", " : text.empty() ? "" : " ") + as_org;
  return text;
}

ReportSummary report(FlowFiles& flows, FilesInUse& in_use, const ReportOptions& options,
                     const std::atomic<bool>& interrupted) {
  std::optional<GeoDatabases> geo;
  if (!options.geo.empty()) flows.locate(geo.emplace(options.geo));
  const std::optional<Filter> filter = filter_of(options, flows.layout().extra);
  in_use.claim(options.output);
  Beside beside = read_beside(options);
  OutputFile output(options.output, &interrupted, options.gives_up);

  ReportData data;
  if (geo) data.where_is = [&](std::uint8_t version, const std::uint8_t* a) { return where_is(*geo, version, a); };
  {
    RecordProgress progress(flows, options.progress);
    for (Biflow flow; flows.next(flow); progress.tick()) {
      if (filter && !filter->matches(flow, flows.annotations())) continue;
      data.add(flow, flows.annotations());
      if (!flow.has_reverse) continue;
      if (const auto handshake_ns = handshake_of(flow.forward, &flow.reverse)) data.add_handshake(*handshake_ns);
    }
  }

  // All flows are in the sums; the files are no longer needed.
  ReportSummary summary{flows.read(), ExitStatus::ok};
  summary.read.lacks_biflows = filter && filter->is_of_biflows() && flows.flows() && !flows.layout().biflow;
  output.write(page_of(data, summary.read, options, std::move(beside)));
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
  if (!summary.read.all) warn("interrupted, the page says so and tells of what was read");
  if (!options.quiet && !summary.read.told.empty()) say(fmt::format("  {}\n", summary.read.told));
  return summary.status;
}

ReportSummary report_and_sum_up(const ReportOptions& options, const std::atomic<bool>& interrupted) {
  RecordInputs inputs = expand_record_inputs(options.inputs, options.recursive, interrupted);
  FilesInUse in_use(with_stats_files(inputs.files, options), no_page_in);
  FlowFiles flows(std::move(inputs), interrupted);
  return report(flows, in_use, options, interrupted);
}

ReportSummary report_from(std::unique_ptr<RecordReader> reader, const ReportOptions& options,
                          const std::atomic<bool>& interrupted) {
  FilesInUse in_use(with_stats_files({}, options), no_page_in);
  FlowFiles flows(std::move(reader), options.inputs.front(), interrupted);
  return report(flows, in_use, options, interrupted);
}

}  // namespace warpmeter::inline command
