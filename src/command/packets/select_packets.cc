#include "command/packets/select_packets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/program/messages.h"
#include "command/packets/flow_features.h"
#include "command/packets/flow_selection.h"
#include "command/packets/judged_batch.h"
#include "command/packets/packet_table.h"
#include "command/packets/packets_summary.h"
#include "command/packets/picked_batch.h"
#include "core/seeded_hash.h"
#include "packet/file/interface_list.h"
#include "packet/write/capture_writer.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "record/read/flow_files.h"
#include "record/read/record_inputs.h"
#include "warpmeter/columns.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline command {
namespace {

constexpr std::uint32_t kBatchFrames = 2'048;
constexpr std::uint64_t kBatchBytes = 2 << 20;

void refuse_pipes(const std::vector<std::string>& files, bool for_features) {
  for (const std::string& file : files) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(file, ignored);
    if (file != "-" && (is_regular_file(status) || !exists(status))) continue;
    throw Error(file + (for_features ? ": captures are read twice with --features, which no pipe can be"
                                     : ": captures are read twice with -f, which no pipe can be; with --flows once"),
                ExitStatus::usage);
  }
}

// What is read: captures, or for tables segment files, too.
class PacketInputs {
 public:
  PacketInputs(const PacketsOptions& options, const CommandRun& run) : run_(run) {
    if (!options.has_capture()) any_.emplace(options.metering, run.interrupted());
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
  std::uint64_t evicted_flows = 0;
  bool has_all_flows = true;  // none left for want of memory: none depends on others
};

// The first time: frames to Flow Records, for a writer that chooses among them.
FirstPass meter_flows(const PacketsOptions& options, const PacketInputs& inputs, const CommandRun& run,
                      RecordWriter& writer) {
  const ExtractOptions& metering = options.metering;
  const auto open = [&] { return inputs.open(); };
  const MeteredTrace metered =
      meter_trace(metering, open, inputs.found().files.size(), run.filter(), run.interrupted());
  export_in_order(metered.work->runs(), metering, writer);
  const MeterCounters& counters = metered.work->metering().meter_counters();
  return {metered.work->metering().decode_counters().frames, counters.evicted,
          counters.evicted + counters.expired + counters.dropped_holes == 0};
}

// Flows of files, or of a program, by their times.
void read_flows(const PacketsOptions& options, FlowFiles& files, bool& key_vlan, FlowSelection& selection,
                PacketsSummary& summary) {
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
  const Progress progress(trace, options.metering.progress && !options.metering.quiet);
  OrderedBatches<PickedBatch> batches(trace, shape_of(options.metering.threads), [&] { return PickedBatch(rules); });
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      summary.decode.add(batches[b].counters());
      summary.packets_written += batches[b].write(writer);
      summary.changed_times += batches[b].changed_times();
    }
  });
}

[[noreturn]] void throw_changed() {
  throw Error("the captures changed while they were read: the second time they had other packets");
}

[[noreturn]] void throw_interrupted(const PacketsOptions& options) {
  throw Error((options.output.empty() ? "" : options.output + ": ") + "interrupted", ExitStatus::interrupted);
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

// The tables that packets become rows of, if any.
class PacketTables {
 public:
  PacketTables(const PacketsOptions& options, OutputFile* file) {
    const bool key_vlan = options.metering.key_vlan;
    if (options.table) {
      tables_.push_back(make_packet_table(*options.table, key_vlan, *file, options.metering.threads));
    }
    if (options.taker) tables_.push_back(make_packet_table(key_vlan, *options.taker));
    for (const auto& table : tables_) table->begin();
  }

  std::vector<PacketTable*> all() const {
    std::vector<PacketTable*> all;
    for (const auto& table : tables_) all.push_back(table.get());
    return all;
  }
  void end() {
    for (const auto& table : tables_) table->end();
  }

 private:
  std::vector<std::unique_ptr<PacketTable>> tables_;
};

JudgeRules judge_rules_of(Selecting& selecting, const PacketTables& tables, InterfaceList* interfaces) {
  const PacketsOptions& options = selecting.options;
  return {.decoder = selecting.decoder,
          .clock = selecting.clock,
          .selection = selecting.selection,
          .meters_all = selecting.meters_all,
          .verdicts = options.verdicts,
          .has_strays = options.metering.meter.method == Method::exact,
          .tables = tables.all(),
          .has_comments = !options.verdicts.has_all(),
          .headers_only = options.headers_only,
          .form = options.form,
          .interfaces = interfaces,
          .filter = selecting.run.filter(),
          .frames = interfaces ? kBatchFrames : kCachedFrames,
          .bytes = kBatchBytes,
          .groups = judging_groups(options.metering.threads)};
}

// `capture`: null, if there is none.
void write_judged(TraceSource& trace, const JudgeRules& rules, const Selecting& selecting, CaptureWriter* capture,
                  PacketsSummary& summary) {
  const ExtractOptions& metering = selecting.options.metering;
  const Progress progress(trace, metering.progress && !metering.quiet);
  const JudgedCounts counts =
      judge_packets(trace, rules, metering, selecting.seed, [capture](JudgedBatch& batch) { batch.write(capture); });
  summary.decode = counts.decode;
  summary.packets_written = counts.packets;
  summary.by_verdict = counts.by_verdict;
  summary.changed_times = counts.changed_times;
  summary.evicted_flows = std::max(summary.evicted_flows, counts.evicted_flows);
}

// `file`: null, where a program takes rows, and that is all.
void write_tables(Selecting& selecting, OutputFile* file, PacketsSummary& summary) {
  const std::unique_ptr<TraceSource> trace = selecting.inputs.open();
  PacketTables tables(selecting.options, file);
  write_judged(*trace, judge_rules_of(selecting, tables, nullptr), selecting, nullptr, summary);
  tables.end();
  if (file) summary.bytes_written = file->bytes();
  selecting.run.finish_reading(selecting.inputs.found(), *trace, summary);
}

void write_capture(Selecting& selecting, OutputFile& file, PacketsSummary& summary) {
  const PacketsOptions& options = selecting.options;
  const CommandRun& run = selecting.run;
  const auto interfaces = std::make_shared<InterfaceList>();
  const std::unique_ptr<Trace> trace = run.open(selecting.inputs.found().files, interfaces);
  CaptureWriter writer(options.form, file, *interfaces, options.output);
  if (options.is_judged()) {
    PacketTables tables(options, nullptr);
    write_judged(*trace, judge_rules_of(selecting, tables, interfaces.get()), selecting, &writer, summary);
    tables.end();
  } else {
    const PickRules rules{.decoder = selecting.decoder,
                          .clock = selecting.clock,
                          .selection = selecting.selection,
                          .filter = run.filter(),
                          .form = options.form,
                          .interfaces = *interfaces,
                          .frames = kBatchFrames,
                          .headers_only = options.headers_only};
    write_packets(*trace, rules, options, writer, summary);
  }
  const std::vector<InterfaceFacts> of_file = trace->facts().interfaces;
  writer.finish(of_file.empty() ? std::uint16_t{kLinkEthernet} : of_file.front().link);
  summary.bytes_written = writer.bytes();
  run.finish_reading(selecting.inputs.found(), *trace, summary);
}

// A table tells of packets what Flow Records tell of flows: whoever may read these may read it.
// Null: there is none.
std::unique_ptr<OutputFile> open_output(const PacketsOptions& options, const std::atomic<bool>& interrupted) {
  if (options.output.empty()) return nullptr;
  const std::atomic<bool>* const gives_up = options.metering.output.gives_up;
  if (!options.table) return open_capture_output(options.output, options.metering.threads, interrupted, gives_up);
  auto file = std::make_unique<OutputFile>(options.output, &interrupted, gives_up);
  const Packing packing = packing_of(options.output);
  if (packing != Packing::none) file->pack(packing, options.metering.threads);
  return file;
}

void tell_changed_times(const PacketsOptions& options, std::uint64_t packets) {
  const bool is_pcap = options.form == CaptureForm::pcap;
  const std::string line =
      fmt::format("{}: {} a time before 1970{}, which {} cannot tell: it has the nearest that it can", options.output,
                  packets == 1 ? "1 packet has" : fmt::format("{} packets have", packets),
                  is_pcap ? " or behind 2106" : "", is_pcap ? "pcap" : "pcapng");
  warn_of(options.metering, line);
}

PacketsEnd finish(const PacketsOptions& options, CommandRun& run, PacketsSummary& summary) {
  summary.interrupted = run.interrupted();
  if (summary.changed_times > 0) tell_changed_times(options, summary.changed_times);
  run.end(summary);
  const FilesRead& flows = summary.flow_files;
  if (summary.status == ExitStatus::ok && !(flows.damage.empty() && flows.unreadable.empty())) {
    summary.status = ExitStatus::damaged;
  }
  RunReport report = report_of(summary);
  run.report(report);
  return {summary.status, std::move(report.json)};
}

// The flows that are wanted, where not all are.
FirstPass choose_flows(PacketsOptions& options, RecordInputs of_flows, const PacketInputs& inputs,
                       const CommandRun& run, FlowSelection& selection, PacketsSummary& summary) {
  FirstPass first;
  bool& key_vlan = options.metering.key_vlan;
  if (options.open_flows) {
    FlowFiles files(options.open_flows(), options.flows_name, run.interrupted());
    read_flows(options, files, key_vlan, selection, summary);
  } else if (!options.of_files.empty()) {
    FlowFiles files(std::move(of_flows), run.interrupted());
    read_flows(options, files, key_vlan, selection, summary);
  } else if (options.flows) {
    const ExtractOptions& metering = options.metering;
    SelectingWriter writer(*options.flows, metering.biflow, not_counted_by(metering.meter.method), selection);
    first = meter_flows(options, inputs, run, writer);
    summary.flows = writer.counts();
  }
  return first;
}

// Nothing is to be selected where features of all are wanted.
FlowFeatures features_of(const PacketsOptions& options, const HashSeed& seed) {
  const ExtractOptions& metering = options.metering;
  return FlowFeatures(options.features.value_or(FeatureOptions()), options.flows ? &*options.flows : nullptr,
                      metering.biflow, not_counted_by(metering.meter.method), seed, metering.memory / 2);
}

// A flow has all its packets or no features.
void write_features(Selecting& selecting, FlowFeatures& features, OutputFile* file, PacketsSummary& summary) {
  const PacketsOptions& options = selecting.options;
  const ExtractOptions& metering = options.metering;
  const std::unique_ptr<TraceSource> trace = selecting.inputs.open();
  {
    const Progress progress(*trace, metering.progress && !metering.quiet);
    summary.decode = add_packets(*trace, selecting.decoder, selecting.clock, metering.threads, features);
  }
  if (selecting.run.interrupted()) throw_interrupted(options);
  if (!features.end_packets()) throw_changed();
  summary.flows = features.counts();
  summary.features_of = features.rows().size();
  if (options.table) write_features(features, metering.key_vlan, *options.table, *file, metering.threads);
  if (options.taker) write_features(features, metering.key_vlan, *options.taker, metering.threads);
  if (file) summary.bytes_written = file->bytes();
  selecting.run.finish_reading(selecting.inputs.found(), *trace, summary);
}

PacketsEnd select_packets(PacketsOptions options, CommandRun& run) {
  // What is read, and what of it.
  const PacketInputs inputs(options, run);
  options.metering = inputs.options(options.metering);
  const ExtractOptions& metering = options.metering;
  RecordInputs of_flows;
  if (!options.of_files.empty()) {
    of_flows = expand_record_inputs(options.of_files, options.folders_below, run.interrupted());
  }
  std::vector<std::string> read = inputs.found().files;
  read.insert(read.end(), of_flows.files.begin(), of_flows.files.end());
  run.begin(read, kOrFile);
  if (options.is_metered_first()) refuse_pipes(inputs.found().files, options.features.has_value());

  // Where the packets go.
  if (!options.output.empty()) {
    run.in_use().claim(options.output,
                       options.table ? FilesInUse::Replaces::what_is_not_kept : FilesInUse::Replaces::anything);
  }
  run.open_stats();
  look_at_tmpdir(metering);
  const std::unique_ptr<OutputFile> file = open_output(options, run.interrupted());

  // Which flows.
  PacketsSummary summary;
  const HashSeed seed = random_hash_seed();
  FlowSelection selection(options.is_metered_first() ? PacketOrder::number : PacketOrder::time, seed,
                          metering.memory / 4);
  FlowFeatures features = features_of(options, seed);
  const FirstPass first = options.features
                              ? meter_flows(options, inputs, run, features)
                              : choose_flows(options, std::move(of_flows), inputs, run, selection, summary);
  summary.evicted_flows = first.evicted_flows;
  if (run.interrupted() && (options.features || !options.takes_all())) throw_interrupted(options);

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
  if (options.features) write_features(selecting, features, file.get(), summary);
  else if (options.has_capture()) write_capture(selecting, *file, summary);
  else write_tables(selecting, file.get(), summary);
  if (options.is_metered_first() && !run.interrupted() && summary.decode.frames != first.frames) {
    throw_changed();
  }

  // The output is complete, and there.
  options.check_wanted();
  if (file) file->commit();
  return finish(options, run, summary);
}

}  // namespace

ExitStatus select_packets(const PacketsOptions& options, const std::atomic<bool>& interrupted) {
  return select_and_sum_up(options, interrupted).status;
}

PacketsEnd select_and_sum_up(const PacketsOptions& options, const std::atomic<bool>& interrupted) {
  PacketsEnd end;
  std::vector<std::string> named = named_inputs(options.metering);
  named.insert(named.end(), options.of_files.begin(), options.of_files.end());
  CommandRun run(options.metering, std::move(named), interrupted, options.metering.output.gives_up);
  run.run([&] { end = select_packets(options, run); });
  return end;
}

}  // namespace warpmeter::inline command
