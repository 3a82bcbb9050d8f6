#include "command/packets/select_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "command/packets/flow_selection.h"
#include "command/packets/picked_batch.h"
#include "command/packets/selected_flows.h"
#include "core/seeded_hash.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "pipeline/run/summary_list.h"
#include "record/read/flow_files.h"
#include "record/read/record_inputs.h"
#include "warpmeter/columns.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline command {
namespace {

constexpr std::uint32_t kBatchFrames = 2'048;
constexpr std::uint64_t kBatchBytes = 2 << 20;

struct PacketsSummary : ReadSummary {
  std::optional<SelectedCounts> flows;  // nothing: all packets were wanted
  FilesRead flow_files;                 // where flows came from files
  std::uint64_t packets_written = 0, bytes_written = 0;
};

RunReport report_of(const PacketsSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  if (s.flows) {
    list.add("flows_selected", "flows selected", s.flows->selected,
             fmt::format("{} of {}", s.flows->selected, s.flows->flows));
    list.add_for_programs("flows", s.flows->flows);
  }
  list.add("packets_written", "packets written", s.packets_written,
           fmt::format("{} ({})", s.packets_written, human_bytes(static_cast<double>(s.bytes_written))));
  list.add_for_programs("bytes_written", s.bytes_written);
  add_skipped(list, s);
  add_damage(list, s);
  add_unread(list, s);
  add_odd_times(list, s);
  add_duration(list, s, true, "what was read until then is in the output");
  std::vector<std::string> warnings = warnings_of(s.flow_files, "in use");
  if (s.flows && s.flows->selected > 0 && s.packets_written == 0) {
    warnings.push_back("no packet that was read belongs to a flow that is selected");
  }
  for (std::string& line : reading_warnings(s, "in the output")) warnings.push_back(std::move(line));
  return {stats_text(list.json()), std::move(warnings), list.text()};
}

void refuse_pipes(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(file, ignored);
    if (file != "-" && (is_regular_file(status) || !exists(status))) continue;
    throw Error(file + ": captures are read twice with -f, which no pipe can be; with --flows once", ExitStatus::usage);
  }
}

// The first time: frames to Flow Records, and of these to what is wanted. Returns how many frames there were.
std::uint64_t meter_flows(const PacketsOptions& options, const std::vector<std::string>& files, const CommandRun& run,
                          FlowSelection& selection, PacketsSummary& summary) {
  const ExtractOptions& metering = options.metering;
  const auto open = [&]() -> std::unique_ptr<TraceSource> { return run.open(files); };
  const MeteredTrace metered = meter_trace(metering, open, files.size(), run.filter(), run.interrupted());
  SelectingWriter writer(*options.flows, metering.biflow, not_counted_by(metering.meter.method), selection);
  export_in_order(metered.work->runs(), metering, writer);
  summary.flows = writer.counts();
  return metered.work->metering().decode_counters().frames;
}

// Flows of files, by their times.
void read_flows(const PacketsOptions& options, RecordInputs inputs, const std::atomic<bool>& interrupted,
                bool& key_vlan, FlowSelection& selection, PacketsSummary& summary) {
  FlowFiles files(std::move(inputs), interrupted);
  summary.flows = select_from(files, options.flows ? &*options.flows : nullptr, selection);
  summary.flow_files = files.read();
  summary.flow_files.lacks_biflows = options.flows && options.flows->is_of_biflows() && !files.layout().biflow;
  key_vlan = files.layout().vlan;
}

BatchShape shape_of(unsigned threads) {
  BatchShape shape = shape_of_cached_batches(threads, 1);
  shape.chunk = {.frames = kBatchFrames, .bytes = kBatchBytes, .keep = true};
  return shape;
}

// The second time, or the only one: frames to packets in the output, which has no name yet.
void write_packets(Trace& trace, const PickRules& rules, const PacketsOptions& options, OutputFile& file,
                   PacketsSummary& summary) {
  CaptureWriter writer(rules.form, file, rules.interfaces, options.output);
  {
    const Progress progress(trace, !options.metering.quiet);
    OrderedBatches<PickedBatch> batches(trace, shape_of(options.metering.threads), [&] { return PickedBatch(rules); });
    batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t b = first; b < last; ++b) {
        summary.decode.add(batches[b].counters());
        summary.packets_written += batches[b].write(writer);
      }
    });
    const std::vector<InterfaceFacts> of_file = trace.facts().interfaces;
    writer.finish(of_file.empty() ? std::uint16_t{kLinkEthernet} : of_file.front().link);
  }
  summary.bytes_written = writer.bytes();
}

ExitStatus finish(CommandRun& run, PacketsSummary& summary) {
  summary.interrupted = run.interrupted();
  run.end(summary);
  const FilesRead& flows = summary.flow_files;
  if (summary.status == ExitStatus::ok && !(flows.damage.empty() && flows.unreadable.empty())) {
    summary.status = ExitStatus::damaged;
  }
  run.report(report_of(summary));
  return summary.status;
}

ExitStatus select_packets(const PacketsOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const ExtractOptions& metering = options.metering;
  const InputFiles inputs = capture_inputs(metering, {metering.stats_file, options.output}, "bytes of packets");
  RecordInputs of_flows;
  if (!options.of_files.empty()) of_flows = expand_record_inputs(options.of_files, false, run.interrupted());
  std::vector<std::string> read = inputs.files;
  read.insert(read.end(), of_flows.files.begin(), of_flows.files.end());
  run.begin(read, kOrFile);
  const bool is_metered = options.flows && options.of_files.empty();
  if (is_metered) refuse_pipes(inputs.files);

  // Where the packets go.
  run.in_use().claim(options.output, FilesInUse::Replaces::anything);
  run.open_stats();
  const std::unique_ptr<OutputFile> file = open_capture_output(options.output, metering.threads, run.interrupted());

  // Which flows.
  PacketsSummary summary;
  const HashSeed seed = random_hash_seed();
  FlowSelection selection(is_metered ? PacketOrder::number : PacketOrder::time, seed, metering.memory / 4);
  bool key_vlan = metering.key_vlan;
  std::uint64_t frames = 0;
  if (is_metered) frames = meter_flows(options, inputs.files, run, selection, summary);
  if (!options.of_files.empty())
    read_flows(options, std::move(of_flows), run.interrupted(), key_vlan, selection, summary);
  if (run.interrupted() && !options.takes_all()) throw Error(options.output + ": interrupted", ExitStatus::interrupted);

  // Their packets.
  const Decoder decoder({.key_vlan = key_vlan,
                         .decapsulate = metering.decapsulate,
                         .filter = run.filter(),
                         .tunnel_ports = metering.tunnel_ports},
                        seed);
  StageClock clock;
  const auto interfaces = std::make_shared<InterfaceList>();
  const std::unique_ptr<Trace> trace = run.open(inputs.files, interfaces);
  const PickRules rules{.decoder = decoder,
                        .clock = clock,
                        .selection = options.takes_all() ? nullptr : &selection,
                        .filter = run.filter(),
                        .form = options.form,
                        .interfaces = *interfaces,
                        .frames = kBatchFrames};
  write_packets(*trace, rules, options, *file, summary);
  run.finish_reading(inputs, *trace, summary);
  if (is_metered && !run.interrupted() && summary.decode.frames != frames) {
    throw Error("the captures changed while they were read: the second time they had other packets");
  }

  // The output is complete, and there.
  file->commit();
  return finish(run, summary);
}

}  // namespace

ExitStatus select_packets(const PacketsOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  std::vector<std::string> named = named_inputs(options.metering);
  named.insert(named.end(), options.of_files.begin(), options.of_files.end());
  CommandRun run(options.metering, std::move(named), interrupted);
  run.run([&] { status = select_packets(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
