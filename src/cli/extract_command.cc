// `warpmeter extract`: the options, and what follows from them where the user left them out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cli/commands.h"
#include "cli/input_words.h"
#include "cli/output_words.h"
#include "cli/parse_values.h"
#include "cli/split_inputs.h"
#include "extract/extract.h"
#include "extract/extract_options.h"
#include "program/interrupt.h"
#include "warpmeter/flow_hash.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kSmallestMemory = 1 << 20;
constexpr std::uint64_t kLargestWindow = 1 << 24;

// As the user wrote them.
struct ExtractWords {
  std::vector<std::string> inputs_and_filter;
  OutputWords output;
  std::string backend = "auto", gpus = "0";
  std::string memory, gpu_memory, run_memory, idle, active, gap, gap_anonymous, block, retransmission_gap;
  std::string method = "exact";
  std::string tmpdir;
  ExtractOptions options;
};

const char* const kExtractExamples =
    R"(Examples:
  warpmeter extract trace.pcap                           a table on a terminal, CSV into a pipe
  warpmeter extract -o flows.csv captures/ tcp port 443  a folder, filtered
  warpmeter extract -o all.parquet -o all.csv.zst t.pcap several outputs
  warpmeter extract -o flows.ipfix monday.pcap.zst       compressed with gzip, zstd or lz4
  tcpdump -w - | warpmeter extract -o flows.json -       standard input
)";

void add_record_options(CLI::App& app, ExtractWords& w) {
  app.option_defaults()->group("Flows");
  app.add_flag("--biflow", w.options.biflow,
               "both directions of a conversation as one record, the initiator's first (RFC 5103)");
  app.add_flag("--aggregate", w.options.aggregate, "one Flow Record per Flow Key over the whole trace");
  app.add_flag("--key-vlan", w.options.key_vlan, "add the outermost VLAN id to the Flow Key (and as last column)");
  app.add_flag(
      "--decapsulate", w.options.decapsulate,
      "meter the innermost packet of a tunnel instead of the outermost (IPIP, 6in4, GRE, VXLAN, Geneve, GTP-U, "
      "Teredo, L2TP; up to 8 within each other)");
}

void add_timeouts(CLI::App& app, ExtractWords& w) {
  app.add_option("--idle-timeout", w.idle, "a longer silence ends a flow; 0 = never (default 300s)")->type_name("TIME");
  app.add_option("--active-timeout", w.active, "a flow that lasts longer is cut; 0 = never (default 1800s)")
      ->type_name("TIME");
}

void add_method_options(CLI::App& app, ExtractWords& w) {
  app.option_defaults()->group("Method");
  app.add_option(
         "--method", w.method,
         "how retransmissions are found: by the bytes seen before, or by the source paper's rule, kept for comparison: "
         "addresses, ports and sequence number seen before (default exact)")
      ->check(CLI::IsMember({"exact", "five-tuple"}));
  app.add_option(
         "--block", w.block,
         "five-tuple: packets in a memory block (such as 56M); retransmissions are found within one and the next "
         "(default: what memory holds)")
      ->type_name("N");
  app.add_option("--retransmission-gap", w.retransmission_gap,
                 "five-tuple: a retransmission comes at most this long after the original; 0 = whenever (default)")
      ->type_name("TIME");
  add_count(app, "--duplicate-window", 0, kLargestWindow,
            "a mirror port's copy comes within this many packets (default 1024)",
            [&w](std::uint64_t n) { w.options.meter.duplicates.window = n; });
  app.add_option("--duplicate-gap", w.gap, "... and within this time (default 100ms)")->type_name("TIME");
  app.add_option("--duplicate-gap-anonymous", w.gap_anonymous,
                 "... or this, for packets without an id of their own: IPv6 and IPv4 id 0 (default 1ms)")
      ->type_name("TIME");
}

void add_resource_options(CLI::App& app, ExtractWords& w) {
  app.option_defaults()->group("Resources");
  app.add_option("--backend", w.backend, "what meters (default auto: a GPU, but small files the CPU)")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--gpu", w.gpus,
                 "number of the GPU, as `warpmeter info` lists them; several with commas share the flows; or all "
                 "(default 0)")
      ->type_name("N[,N...]");
  app.add_option("--gpu-memory", w.gpu_memory, "memory of each GPU to use (default: most of what is free)")
      ->type_name("SIZE");
  add_threads(app, w.options.threads);
  app.add_option("--memory", w.memory, "for live flows and finished ones together (default: half of the memory)")
      ->type_name("SIZE");
  app.add_option("--run-memory", w.run_memory,
                 "finished flows kept in memory before a sorted run is written to --tmpdir (default: a quarter of "
                 "--memory, at most 16M)")
      ->type_name("SIZE");
  app.add_option("--tmpdir", w.tmpdir,
                 "folder for run files, and for holes that find no room in memory (default: $TMPDIR, else /tmp)")
      ->type_name("FOLDER");
  add_count(app, "--batch", 1, kLargestBatch,
            "packets a batch (default " + std::to_string(kDefaultBatch) + ", on a GPU " +
                std::to_string(kDefaultDeviceBatch) + ")",
            [&w](std::uint64_t n) { w.options.batch = static_cast<std::uint32_t>(n); });
}

void add_report_options(CLI::App& app, ExtractWords& w) {
  app.option_defaults()->group("Messages");
  app.add_flag("-q,--quiet", w.options.quiet, "no progress and no summary");
  app.add_flag("-v,--verbose", w.options.verbose, "say more about what is done");
  app.add_option("--stats", w.options.stats_file, "write the summary as JSON")->type_name("FILE");
  app.add_flag("--stages", w.options.stages, "add the time per pipeline stage to the summary");
}

Backend backend_of(const std::string& word) {
  if (word == "cpu") return Backend::cpu;
  return word == "cuda" ? Backend::cuda : Backend::automatic;
}

void set_times(const ExtractWords& w, MeterOptions& meter) {
  if (!w.idle.empty()) meter.timeouts.idle_ns = parse_time("--idle-timeout", w.idle);
  if (!w.active.empty()) meter.timeouts.active_ns = parse_time("--active-timeout", w.active);
  if (!w.gap.empty()) meter.duplicates.gap_ns = parse_time("--duplicate-gap", w.gap);
  if (!w.gap_anonymous.empty())
    meter.duplicates.gap_anonymous_ns = parse_time("--duplicate-gap-anonymous", w.gap_anonymous);
}

void set_method(const ExtractWords& w, MeterOptions& meter) {
  if (w.method == "five-tuple") meter.method = Method::five_tuple;
  else if (!w.block.empty() || !w.retransmission_gap.empty()) {
    throw Error("--block and --retransmission-gap go with --method five-tuple", ExitStatus::usage);
  }
  if (!w.retransmission_gap.empty()) meter.five_tuple.gap_ns = parse_time("--retransmission-gap", w.retransmission_gap);
  if (w.block.empty()) return;
  meter.five_tuple.block = parse_count("--block", w.block);
  if (meter.five_tuple.block < 1 || meter.five_tuple.block > kLargestBlock) {
    throw Error("--block: 1 to 1G packets", ExitStatus::usage);
  }
}

void set_memory(const ExtractWords& w, ExtractOptions& o) {
  o.memory = w.memory.empty() ? default_memory() : parse_size("--memory", w.memory);
  if (o.memory < kSmallestMemory) throw Error("--memory: at least 1M", ExitStatus::usage);
  if (!w.gpu_memory.empty()) o.gpu_memory = std::max<std::uint64_t>(parse_size("--gpu-memory", w.gpu_memory), 1);
  if (!w.run_memory.empty()) o.run_memory = std::max<std::uint64_t>(parse_size("--run-memory", w.run_memory), 1);
}

std::string tmpdir_of(const ExtractWords& w) {
  if (!w.tmpdir.empty()) return w.tmpdir;
  const char* from_environment = std::getenv("TMPDIR");
  return from_environment && *from_environment ? from_environment : "/tmp";
}

ExtractOptions options_of(const ExtractWords& w) {
  ExtractOptions o = w.options;
  const InputsAndFilter split = split_inputs(w.inputs_and_filter);
  o.inputs = split.inputs;
  o.filter = split.filter;
  OutputWords output = w.output;
  output.threads = o.threads;
  o.output = output_options_of(output);
  refuse_output(output, "--stats", o.stats_file);
  o.backend = backend_of(w.backend);
  o.gpus = parse_gpus(w.gpus);
  o.tmpdir = tmpdir_of(w);
  set_times(w, o.meter);
  set_memory(w, o);
  set_method(w, o.meter);
  return o;
}

}  // namespace

void add_extract_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<ExtractWords>();
  CLI::App* command = app.add_subcommand("extract", "captures to Flow Records");
  command
      ->add_option(
          "INPUT", words->inputs_and_filter,
          "capture files (pcap, pcapng, HP-CAP, ERF), folders of them, or - for standard input; then perhaps a capture "
          "filter as in pcap-filter(7)")
      ->required();
  command->option_defaults()->group("Input");
  add_input_format(*command, words->options.input_format);
  add_file_order(*command, words->options.order);
  add_recursive(*command, words->options.recursive);
  add_file_options(*command, words->output);
  add_export_options(*command, words->output);
  add_record_options(*command, *words);
  add_timeouts(*command, *words);
  add_method_options(*command, *words);
  add_resource_options(*command, *words);
  add_report_options(*command, *words);
  command->footer(kExtractExamples);
  command->callback(
      [words, &chosen] { chosen = [words] { return extract(options_of(*words), watch_for_interrupt()); }; });
}

}  // namespace warpmeter
