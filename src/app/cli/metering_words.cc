#include "app/cli/metering_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "app/cli/input_words.h"
#include "app/cli/parse_values.h"
#include "command/decode/hash_seed_text.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kSmallestMemory = 1 << 20;
constexpr std::uint64_t kLargestWindow = 1 << 24;

void set_times(const MeteringWords& w, MeterOptions& meter) {
  if (!w.idle.empty()) meter.timeouts.idle_ns = parse_time("--idle-timeout", w.idle);
  if (!w.active.empty()) meter.timeouts.active_ns = parse_time("--active-timeout", w.active);
  if (!w.gap.empty()) meter.duplicates.gap_ns = parse_time("--duplicate-gap", w.gap);
  if (!w.gap_anonymous.empty())
    meter.duplicates.gap_anonymous_ns = parse_time("--duplicate-gap-anonymous", w.gap_anonymous);
}

void set_method(const MeteringWords& w, MeterOptions& meter) {
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

void set_memory(const MeteringWords& w, ExtractOptions& o) {
  o.memory = w.memory.empty() ? default_memory() : parse_size("--memory", w.memory);
  if (o.memory < kSmallestMemory) throw Error("--memory: at least 1M", ExitStatus::usage);
  if (!w.run_memory.empty()) o.run_memory = std::max<std::uint64_t>(parse_size("--run-memory", w.run_memory), 1);
}

void set_backend(const MeteringWords& w, ExtractOptions& o) {
  if (w.backend != "auto") o.backend = w.backend == "cpu" ? Backend::cpu : Backend::cuda;
  if (!w.gpus.empty()) o.gpus = parse_gpus(w.gpus);
  o.gpu_named = !w.gpus.empty() || !w.gpu_memory.empty();
  if (!w.gpu_memory.empty()) o.gpu_memory = std::max<std::uint64_t>(parse_size("--gpu-memory", w.gpu_memory), 1);
}

// Who must not know which flows are in the sample, nor see it on a command line, gives a secret by the environment.
void set_sample(const MeteringWords& w, ExtractOptions& o) {
  constexpr const char* kOption = "--sample-flows";
  if (w.sample.empty()) return;
  if (const std::optional<std::uint32_t> rarest = parse_changing_sample(kOption, w.sample)) {
    if (!w.sample_may_change) {
      throw Error("--sample-flows auto is for live, which cannot wait; files are metered whole", ExitStatus::usage);
    }
    o.rarest_sample = *rarest;
  } else {
    o.sample.one_in = parse_sample(kOption, w.sample);
  }
  const char* const secret = std::getenv("WARPMETER_SAMPLE_SEED");
  if (secret && *secret) o.sample.seed = hash_seed_of(secret);
}

}  // namespace

std::string tmpdir_of(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  const char* from_environment = std::getenv("TMPDIR");
  return from_environment && *from_environment ? from_environment : "/tmp";
}

void add_record_options(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Flows");
  app.add_flag("--biflow", w.options.biflow,
               "both directions of a conversation as one record, the initiator's first (RFC 5103)");
  app.add_flag("--aggregate", w.options.aggregate, "one Flow Record per Flow Key over the whole trace");
  app.add_flag("--key-vlan", w.options.key_vlan,
               "add the outermost VLAN id to the Flow Key (and as a column behind the others)");
  app.add_option(
         "--sample-flows", w.sample,
         w.sample_may_change
             ? "meter one conversation of N, both directions of it with all their packets, chosen by a hash; N is 1 to "
               "1048576; auto: all of them, but fewer while metering does not keep up, 1/1024 at the least; auto:1/N: "
               "1/N"
             : "meter one conversation of N, both directions of it with all their packets, chosen by a hash; N is 1 to "
               "1048576")
      ->type_name(w.sample_may_change ? "1/N|auto" : "1/N");
  add_tunnels(app, w.options.decapsulate, w.options.tunnel_ports);
}

void add_timeouts(CLI::App& app, MeteringWords& w) {
  app.add_option("--idle-timeout", w.idle, "a longer silence ends a flow; 0 = never (default 300s)")->type_name("TIME");
  app.add_option("--active-timeout", w.active, "a flow that lasts longer is cut; 0 = never (default 1800s)")
      ->type_name("TIME");
}

void add_method_options(CLI::App& app, MeteringWords& w) {
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

void add_backend_options(CLI::App& app, MeteringWords& w, const std::string& automatic) {
  app.add_option("--backend", w.backend, "what meters (default auto: " + automatic + ")")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--gpu", w.gpus,
                 "number of the GPU, as `warpmeter info` lists them; several with commas share the flows; or all "
                 "(where none is named: 0)")
      ->type_name("N[,N...]");
  app.add_option("--gpu-memory", w.gpu_memory, "memory of each GPU to use (default: most of what is free)")
      ->type_name("SIZE");
}

void add_batch_option(CLI::App& app, MeteringWords& w) {
  app.option_defaults()->group("Resources");
  add_count(app, "--batch", 1, kLargestBatch,
            "packets a batch (default " + std::to_string(kDefaultBatch) + ", on a GPU " +
                std::to_string(kDefaultDeviceBatch) + ")",
            [&w](std::uint64_t n) { w.options.batch = static_cast<std::uint32_t>(n); });
}

void add_memory_options(CLI::App& app, MeteringWords& w) {
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
}

void add_report_options(CLI::App& app, MeteringWords& w) {
  add_messages(app, w.options.quiet, w.options.stats_file);
  app.add_flag("-v,--verbose", w.options.verbose, "say more about what is done");
  app.add_flag("--stages", w.options.stages, "add the time per pipeline stage to the summary");
}

ExtractOptions metering_options_of(const MeteringWords& w, const OutputWords& output_words) {
  ExtractOptions o = w.options;
  OutputWords output = output_words;
  output.threads = o.threads;
  o.output = output_options_of(output);
  refuse_output(output, "--stats", o.stats_file);
  o.tmpdir = tmpdir_of(w.tmpdir);
  set_times(w, o.meter);
  set_memory(w, o);
  set_method(w, o.meter);
  set_sample(w, o);
  set_backend(w, o);
  return o;
}

}  // namespace warpmeter::inline app
