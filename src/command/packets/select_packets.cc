#include "command/packets/select_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "command/packets/flow_selection.h"
#include "command/packets/judged_batch.h"
#include "command/packets/packet_table.h"
#include "command/packets/picked_batch.h"
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
  std::uint64_t changed_times = 0;          // packets that the capture could not tell the time of
  std::optional<VerdictCounts> by_verdict;  // of the packets that are wanted; nothing: nobody asked
};

// Of all: "1200 new, 3 retransmitted".
std::string verdicts_text(const VerdictCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], kVerdictWords[i]);
  }
  return text;
}

void add_verdicts(SummaryList& list, const VerdictCounts& counts) {
  std::array<const char*, kVerdictWords.size()> names;
  std::ranges::transform(kVerdictWords, names.begin(), [](std::string_view word) { return word.data(); });
  list.add_counts("verdicts", "verdicts", names, counts, verdicts_text(counts));
}

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
  if (s.by_verdict) add_verdicts(list, *s.by_verdict);
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

// What is read: captures, or for tables segment files, too.
class PacketInputs {
 public:
  PacketInputs(const PacketsOptions& options, const CommandRun& run) : run_(run) {
    if (options.table) any_.emplace(options.metering, run.interrupted());
    else captures_ = capture_inputs(options.metering, outputs_of(options.metering), "bytes of packets");
  }

  const InputFiles& found() const { return any_ ? any_->found() : captures_; }
  // With what segment files say.
  const ExtractOptions& options(const ExtractOptions& given) const { return any_ ? any_->options() : given; }
  std::unique_ptr<TraceSource> open() const {
    return any_ ? any_->open(run_.filter()) : std::unique_ptr<TraceSource>(run_.open(found().files));
  }

 private:
  const CommandRun& run_;
  std::optional<TraceInputs> any_;
  InputFiles captures_;
};

// What metering for the flows found out for the second time that packets are read.
struct FirstPass {
  std::uint64_t frames = 0;
  bool has_all_flows = true;  // none left for want of memory: none depends on others
};

// The first time: frames to Flow Records, and of these to what is wanted.
FirstPass meter_flows(const PacketsOptions& options, const PacketInputs& inputs, const CommandRun& run,
                      FlowSelection& selection, PacketsSummary& summary) {
  const ExtractOptions& metering = options.metering;
  const auto open = [&] { return inputs.open(); };
  const MeteredTrace metered =
      meter_trace(metering, open, inputs.found().files.size(), run.filter(), run.interrupted());
  SelectingWriter writer(*options.flows, metering.biflow, not_counted_by(metering.meter.method), selection);
  export_in_order(metered.work->runs(), metering, writer);
  summary.flows = writer.counts();
  const MeterCounters& counters = metered.work->metering().meter_counters();
  return {metered.work->metering().decode_counters().frames,
          counters.evicted + counters.expired + counters.dropped_holes == 0};
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
void write_packets(Trace& trace, const PickRules& rules, const PacketsOptions& options, CaptureWriter& writer,
                   PacketsSummary& summary) {
  const Progress progress(trace, !options.metering.quiet);
  OrderedBatches<PickedBatch> batches(trace, shape_of(options.metering.threads), [&] { return PickedBatch(rules); });
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      summary.decode.add(batches[b].counters());
      summary.packets_written += batches[b].write(writer);
      summary.changed_times += batches[b].changed_times();
    }
  });
}

template <class Output>
void write_judged(TraceSource& trace, const JudgeRules& rules, const PacketsOptions& options, const HashSeed& seed,
                  Output& output, PacketsSummary& summary) {
  const Progress progress(trace, !options.metering.quiet);
  const JudgedCounts counts =
      judge_packets(trace, rules, options.metering, seed, [&output](JudgedBatch& batch) { batch.write(output); });
  summary.decode = counts.decode;
  summary.packets_written = counts.packets;
  summary.by_verdict = counts.by_verdict;
  summary.changed_times = counts.changed_times;
}

// What all that read packets for the output are given.
struct Selecting {
  const PacketsOptions& options;
  const CommandRun& run;
  const PacketInputs& inputs;
  const HashSeed& seed;
  const Decoder& decoder;
  const FlowSelection* selection;  // null: all flows
  bool meters_all;
  StageClock clock = {};
};

JudgeRules judge_rules_of(Selecting& selecting) {
  const PacketsOptions& options = selecting.options;
  return {.decoder = selecting.decoder,
          .clock = selecting.clock,
          .selection = selecting.selection,
          .meters_all = selecting.meters_all,
          .verdicts = options.verdicts,
          .has_strays = options.metering.meter.method == Method::exact,
          .form = options.form,
          .frames = options.table ? kCachedFrames : kBatchFrames,
          .bytes = kBatchBytes,
          .groups = judging_groups(options.metering.threads)};
}

void write_table(Selecting& selecting, OutputFile& file, PacketsSummary& summary) {
  const PacketsOptions& options = selecting.options;
  const std::unique_ptr<TraceSource> trace = selecting.inputs.open();
  const std::unique_ptr<PacketTable> table =
      make_packet_table(*options.table, options.metering.key_vlan, file, options.metering.threads);
  JudgeRules rules = judge_rules_of(selecting);
  rules.table = table.get();
  table->begin();
  write_judged(*trace, rules, options, selecting.seed, *table, summary);
  table->end();
  summary.bytes_written = file.bytes();
  selecting.run.finish_reading(selecting.inputs.found(), *trace, summary);
}

void write_capture(Selecting& selecting, OutputFile& file, PacketsSummary& summary) {
  const PacketsOptions& options = selecting.options;
  const CommandRun& run = selecting.run;
  const auto interfaces = std::make_shared<InterfaceList>();
  const std::unique_ptr<Trace> trace = run.open(selecting.inputs.found().files, interfaces);
  CaptureWriter writer(options.form, file, *interfaces, options.output);
  if (options.is_judged()) {
    JudgeRules rules = judge_rules_of(selecting);
    rules.interfaces = interfaces.get();
    write_judged(*trace, rules, options, selecting.seed, writer, summary);
  } else {
    const PickRules rules{.decoder = selecting.decoder,
                          .clock = selecting.clock,
                          .selection = selecting.selection,
                          .filter = run.filter(),
                          .form = options.form,
                          .interfaces = *interfaces,
                          .frames = kBatchFrames};
    write_packets(*trace, rules, options, writer, summary);
  }
  const std::vector<InterfaceFacts> of_file = trace->facts().interfaces;
  writer.finish(of_file.empty() ? std::uint16_t{kLinkEthernet} : of_file.front().link);
  summary.bytes_written = writer.bytes();
  run.finish_reading(selecting.inputs.found(), *trace, summary);
}

// A table tells of packets what Flow Records tell of flows: whoever may read these may read it.
std::unique_ptr<OutputFile> open_output(const PacketsOptions& options, const std::atomic<bool>& interrupted) {
  if (!options.table) return open_capture_output(options.output, options.metering.threads, interrupted);
  auto file = std::make_unique<OutputFile>(options.output, &interrupted);
  const Packing packing = packing_of(options.output);
  if (packing != Packing::none) file->pack(packing, options.metering.threads);
  return file;
}

void tell_changed_times(const PacketsOptions& options, std::uint64_t packets) {
  const bool is_pcap = options.form == CaptureForm::pcap;
  warn(fmt::format("{}: {} a time before 1970{}, which {} cannot tell: it has the nearest that it can", options.output,
                   packets == 1 ? "1 packet has" : fmt::format("{} packets have", packets),
                   is_pcap ? " or behind 2106" : "", is_pcap ? "pcap" : "pcapng"));
}

ExitStatus finish(const PacketsOptions& options, CommandRun& run, PacketsSummary& summary) {
  summary.interrupted = run.interrupted();
  if (summary.changed_times > 0) tell_changed_times(options, summary.changed_times);
  run.end(summary);
  const FilesRead& flows = summary.flow_files;
  if (summary.status == ExitStatus::ok && !(flows.damage.empty() && flows.unreadable.empty())) {
    summary.status = ExitStatus::damaged;
  }
  run.report(report_of(summary));
  return summary.status;
}

ExitStatus select_packets(PacketsOptions options, CommandRun& run) {
  // What is read, and what of it.
  const PacketInputs inputs(options, run);
  options.metering = inputs.options(options.metering);
  const ExtractOptions& metering = options.metering;
  RecordInputs of_flows;
  if (!options.of_files.empty()) of_flows = expand_record_inputs(options.of_files, false, run.interrupted());
  std::vector<std::string> read = inputs.found().files;
  read.insert(read.end(), of_flows.files.begin(), of_flows.files.end());
  run.begin(read, kOrFile);
  const bool is_metered = options.flows && options.of_files.empty();
  if (is_metered) refuse_pipes(inputs.found().files);

  // Where the packets go.
  run.in_use().claim(options.output,
                     options.table ? FilesInUse::Replaces::what_is_not_kept : FilesInUse::Replaces::anything);
  run.open_stats();
  look_at_tmpdir(metering);
  const std::unique_ptr<OutputFile> file = open_output(options, run.interrupted());

  // Which flows.
  PacketsSummary summary;
  const HashSeed seed = random_hash_seed();
  FlowSelection selection(is_metered ? PacketOrder::number : PacketOrder::time, seed, metering.memory / 4);
  FirstPass first;
  if (is_metered) first = meter_flows(options, inputs, run, selection, summary);
  if (!options.of_files.empty()) {
    read_flows(options, std::move(of_flows), run.interrupted(), options.metering.key_vlan, selection, summary);
  }
  if (run.interrupted() && !options.takes_all()) throw Error(options.output + ": interrupted", ExitStatus::interrupted);

  // Their packets.
  const Decoder decoder({.key_vlan = metering.key_vlan,
                         .decapsulate = metering.decapsulate,
                         .filter = run.filter(),
                         .tunnel_ports = metering.tunnel_ports},
                        seed);
  Selecting selecting{.options = options,
                      .run = run,
                      .inputs = inputs,
                      .seed = seed,
                      .decoder = decoder,
                      .selection = options.takes_all() ? nullptr : &selection,
                      .meters_all = options.takes_all() || !first.has_all_flows};
  if (options.table) write_table(selecting, *file, summary);
  else write_capture(selecting, *file, summary);
  if (is_metered && !run.interrupted() && summary.decode.frames != first.frames) {
    throw Error("the captures changed while they were read: the second time they had other packets");
  }

  // The output is complete, and there.
  file->commit();
  return finish(options, run, summary);
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
