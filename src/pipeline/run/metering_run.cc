#include "pipeline/run/metering_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words/human_units.h"
#include "core/annotations.h"
#include "packet/file/capture_links.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline pipeline {

OutputOptions output_options_of_run(const ExtractOptions& options, FilesInUse& in_use,
                                    const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  const auto complete = [&](OutputOptions& one) {
    one.in_use = &in_use;
    one.interrupted = &interrupted;
    one.gives_up = options.output.gives_up;
    one.tmpdir = options.tmpdir;
    one.waiting_memory = run_store_options(options).memory_limit;
  };
  complete(output);
  std::ranges::for_each(output.also, complete);
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->gives_up = options.output.gives_up;
    output.collector->warn = [&options](const std::string& text) { warn_of(options, text); };
  }
  return output;
}

std::vector<std::string> left_out_by(const PacketFilter* filter) {
  std::vector<std::string> lines;
  if (!filter) return lines;
  for (const std::uint16_t link : filter->links_missed()) {
    lines.push_back(fmt::format("link type {}: {}; its packets are left out", link_name(link), filter->refusal(link)));
  }
  return lines;
}

RecordLayout layout_of_run(const ExtractOptions& options) {
  return {options.key_vlan,
          options.biflow,
          not_counted_by(options.meter.method),
          options.output.times,
          options.output.extra_columns,
          nullptr,
          options.sample.one_in};
}

ExportedRecords export_all(const ExtractOptions& options, MeteringWork& work, RecordOutput& output) {
  const StageClock::Scope scope(work.clock(), Stage::merge_and_export);
  return export_in_order(work.runs(), options, output);
}

void sum_up(const ExtractOptions& options, MeteringWork& work, const RecordOutput& output,
            const ExportedRecords& exported, Summary& s) {
  s.rows = exported.rows;
  s.labels_cut = exported.labels_cut;
  s.totals = exported.totals;
  s.join = exported.join;
  s.exported = output.export_report();
  s.left_over = output.left_over();
  s.outputs = output.losses();
  s.backend = work.backend().name;
  s.backend_reason = work.backend().reason;
  s.is_backend_remark = work.backend().is_remark;
  s.threads = options.threads;
  s.method = options.meter.method;
  s.block = work.metering().block();
  s.sample_one_in = options.sample.one_in;
  s.decode = work.metering().decode_counters();
  s.meter = work.metering().meter_counters();
  if (options.policy.policy) {
    s.policy = work.metering().policy_counters();
    s.decode.metered -= s.policy->dropped;
  }
  s.runs_written = work.runs().runs_written();
  s.bytes_read = work.bytes_read();
  s.stages = work.stages();
}

RunReport report_of(const Summary& s, const ExtractOptions& options) {
  std::vector<std::string> lines;
  if (!s.is_told) lines = reading_warnings(s, "in the output");
  if (s.labels_cut) {
    lines.push_back(fmt::format("{} with more than {} labels; the first of these are in the output",
                                human_number_of(s.labels_cut, "flow record"), kMostTexts));
  }
  if (s.exported && !s.exported->problem.empty()) lines.push_back(s.exported->problem);
  for (const auto* const more : {&s.left_out, &s.unread, &s.left_over}) {
    lines.insert(lines.end(), more->begin(), more->end());
  }
  return {summary_json(s), std::move(lines), summary_text(s, options.stages, options.verbose)};
}

}  // namespace warpmeter::inline pipeline
