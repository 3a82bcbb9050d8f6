// `warpmeter live`: the options.
#include <net/if.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/idle_live_options.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "app/cli/stream_words.h"
#include "base/metrics/metrics_address.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/advise/advise.h"
#include "command/live/live.h"
#include "command/live/rights_of_run.h"
#include "core/random_seed.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kLeastRing = 256 << 10, kMostRing = std::uint64_t{2} << 30;
constexpr unsigned kMostRings = 64;

// As the user wrote them.
struct LiveWords {
  std::vector<std::string> filter;
  OutputWords output;
  MeteringWords metering;
  std::string ring = "auto", fanout = "auto", ring_size, duration, max_latency, advise, affinity = "off";
  std::string metrics, drain_timeout, statistics;
  std::vector<std::string> metrics_names;
  std::string streams, stream_queue;
  StreamWords stream{.before = "--stream-"};
  bool not_promiscuous = false;
  LiveOptions options;
};

const char* const kLiveExamples =
    R"(Examples:
  warpmeter live -i eth0                                 until Ctrl-C; then a table on a terminal
  warpmeter live -i eth0 --duration 5m -o flows.parquet  five minutes
  warpmeter live -i eth1 -i eth2 -o flows.csv tcp        two interfaces, filtered
  warpmeter live -i folder:/data/captures --rotate 5m -o flows.parquet
                                                         files that tcpdump -G, dumpcap -b and others write there
  warpmeter live --advise eth0                           what should be changed before)";

void add_folder_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("A folder");
  add_resync(app, w.metering.options.resync);
  app.add_option("--state", w.options.state,
                 "how far the folder was read: a later run with it goes on there, loses nothing and repeats nothing; "
                 "takes --rotate TIME")
      ->type_name("FILE");
  app.add_flag("--delete-after", w.options.delete_after,
               "delete files of the folder that were read whole, once their Flow Records are in complete files");
}

void add_capture_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("Capture");
  app.add_option(
         "-i,--interface", w.options.interfaces,
         "network interface to capture from, any or a pattern like 'veth*' of those that come and go, shm:NAME: what "
         "another program feeds through shared memory, or hpcap:N: a card that HP-CAP's driver reads; may be given "
         "again. Or folder:PATH: files that are written there")
      ->type_name("IFACE")
      ->allow_extra_args(false);
  app.add_option("--advise", w.advise,
                 "instead of a capture: what should be changed at this interface, with the commands; changes nothing")
      ->type_name("IFACE");
  app.add_option("--duration", w.duration, "stop after this time (default, and 0: on SIGINT or SIGTERM)")
      ->type_name("TIME");
  app.add_option("--max-latency", w.max_latency,
                 "to collectors, pipes and files of --rotate TIME Flow Records go at most this long after they have "
                 "ended (10ms to 1h, default 1s)")
      ->type_name("TIME");
  app.add_option(
         "--ring", w.ring,
         "how packets come: xdp takes them before the kernel's own network does, which gets none of them then; "
         "packet and pcap leave them (default auto: xdp where it works and the interface has no other use, else "
         "packet)")
      ->check(CLI::IsMember({"auto", "xdp", "packet", "pcap"}));
  app.add_option(
         "--fanout", w.fanout,
         "what shares packets between several rings of --ring packet: hash of addresses and ports, the RX queue "
         "or the CPU that a packet came by, which cost less (default auto: queue where the card's RSS is "
         "symmetric, else hash)")
      ->check(CLI::IsMember({"auto", "hash", "queue", "cpu"}));
  add_count(app, "--rings", 1, kMostRings,
            "rings of each interface, which share its conversations; several help where one core of the kernel cannot "
            "fill one (default 1; with xdp one for each of its RX queues)",
            [&w](std::uint64_t n) { w.options.rings = static_cast<unsigned>(n); });
  app.add_option("--ring-size", w.ring_size,
                 "memory of each ring of a network interface: what comes while nobody reads (256K to 2G, default 64M)")
      ->type_name("SIZE");
  app.add_option(
         "--affinity", w.affinity,
         "CPU of each thread and of the memory of its rings: a list like 0,2-5; auto: near the interface's card "
         "(default off)")
      ->type_name("auto|LIST|off");
  app.add_flag("--set-irq-affinity", w.options.set_irq_affinity,
               "with --affinity: interrupts of the interface's queues go to the CPUs of their rings, until the end");
  app.add_flag(
      "--interface-columns", w.options.interface_columns,
      "add columns interface and direction: where the first packet of the flow was observed (CSV, JSON, Parquet; "
      "IPFIX and NetFlow v9 always say it)");
  app.add_flag("-p,--no-promiscuous", w.not_promiscuous, "only what is sent to this machine or by it");
}

void add_service_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("Service");
  app.add_option("--metrics", w.metrics,
                 "offer metrics for Prometheus at http://ADDRESS:PORT/metrics (default address 127.0.0.1)")
      ->type_name("[ADDRESS:]PORT");
  app.add_option("--metrics-name", w.metrics_names,
                 "another name of this machine by which metrics are asked for; may be given again (default: localhost, "
                 "the machine's own name, and its addresses)")
      ->allow_extra_args(false)
      ->type_name("HOST");
  app.add_option("--drain-timeout", w.drain_timeout,
                 "when the capture has ended, how long all that was metered may take to be written (default 30s)")
      ->type_name("TIME");
  app.add_option(
         "--collector-statistics", w.statistics,
         "IPFIX: so often, and at the end, tell the collector what was metered, ignored, sent and lost, in Options "
         "Records")
      ->type_name("TIME");
}

void add_detector_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("Streams for a detector");
  app.add_option("--streams", w.streams,
                 "TCP streams, put together, as records for a program that listens at this Unix socket; metering never "
                 "waits for it")
      ->type_name("unix:PATH");
  add_stream_rules(app, w.stream);
  app.add_option("--stream-memory", w.stream.memory,
                 "for connections and what they wait with (default: an eighth of the memory)")
      ->type_name("SIZE");
  app.add_option("--stream-queue", w.stream_queue,
                 "records that wait for the detector; what finds no room is dropped, and counted (default 64M)")
      ->type_name("SIZE");
}

RingKind kind_of(const std::string& word) {
  if (word == "xdp") return RingKind::xdp;
  if (word == "packet") return RingKind::packet;
  return word == "pcap" ? RingKind::pcap : RingKind::automatic;
}

Fanout fanout_of(const std::string& word) {
  if (word == "hash") return Fanout::hash;
  if (word == "queue") return Fanout::queue;
  return word == "cpu" ? Fanout::cpu : Fanout::automatic;
}

// To somebody who named no interface, or named it as a file is named.
std::string what_to_say(const LiveWords& w) {
  const bool named = w.filter.size() == 1 && if_nametoindex(w.filter.front().c_str()) != 0;
  return named ? ": did you mean -i " + w.filter.front() + "?"
               : ", as in: warpmeter live -i eth0 (see warpmeter live --help)";
}

// The state and its lock.
void refuse_stats_over_state(const std::string& stats, const std::string& state) {
  if (stats.empty() || state.empty()) return;
  for (const char* const behind : {"", ".lock"}) {
    if (same_file(stats, state + behind)) {
      throw Error("--stats " + stats + " and --state " + state + ": one file", ExitStatus::usage);
    }
  }
}

void refuse_idle_interface_columns(const ExtractOptions& o) {
  const auto has_columns = [](const OutputOptions& one) {
    return !one.file.empty() &&
           (one.format == Format::csv || one.format == Format::json || one.format == Format::parquet);
  };
  if (!has_columns(o.output) && std::ranges::none_of(o.output.also, has_columns)) {
    throw Error("--interface-columns goes with CSV, JSON and Parquet", ExitStatus::usage);
  }
  if (o.aggregate)
    throw Error("--interface-columns: a sum has no interface of its own (--aggregate)", ExitStatus::usage);
}

void refuse_idle_changing_sample(const ExtractOptions& o) {
  const auto is_ipfix = [](const OutputOptions& one) { return !one.file.empty() && one.format == Format::ipfix; };
  if (is_ipfix(o.output) || std::ranges::any_of(o.output.also, is_ipfix)) {
    throw Error("--sample-flows auto: an IPFIX file would say one rate of all its Flow Records; CSV, JSON or Parquet",
                ExitStatus::usage);
  }
  if (o.biflow && o.output.collector) {
    throw Error(
        "--sample-flows auto: with --biflow the collector gets all at the end, of which no one rate could be told",
        ExitStatus::usage);
  }
  if (o.aggregate) {
    throw Error("--sample-flows auto: the sum of a flow would look whole that was left out for a time (--aggregate)",
                ExitStatus::usage);
  }
}

DetectorOptions detector_options_of(const LiveWords& w) {
  constexpr std::uint64_t kLeastQueue = 1 << 20, kPartOfMemory = 4;  // of the half that is metering's
  constexpr std::string_view kUnix = "unix:";
  DetectorOptions o;
  if (!w.streams.starts_with(kUnix) || w.streams.size() == kUnix.size()) {
    throw Error("--streams " + w.streams + ": unix:PATH, where a program listens at the socket PATH",
                ExitStatus::usage);
  }
  o.socket = w.streams.substr(kUnix.size());
  set_streams(w.stream, std::max(default_memory() / kPartOfMemory, kLeastQueue), o.streams);
  if (!w.stream_queue.empty()) o.queue = parse_size("--stream-queue", w.stream_queue);
  if (o.queue < kLeastQueue) throw Error("--stream-queue: at least 1M", ExitStatus::usage);
  return o;
}

LiveOptions options_of(const LiveWords& w) {
  LiveOptions o = w.options;
  if (o.interfaces.empty()) throw Error("--interface is required" + what_to_say(w), ExitStatus::usage);
  // Who sends what is captured must not choose flows that are left out.
  MeteringWords metering = w.metering;
  metering.options.sample.seed = random_hash_seed();
  o.extract = metering_options_of(metering, w.output);
  if (o.extract.rarest_sample) refuse_idle_changing_sample(o.extract);
  for (const std::string& word : w.filter) o.extract.filter += (o.extract.filter.empty() ? "" : " ") + word;
  refuse_stats_over_state(o.extract.stats_file, o.state);
  if (o.interface_columns) refuse_idle_interface_columns(o.extract);
  o.kind = kind_of(w.ring);
  o.ring.fanout = fanout_of(w.fanout);
  o.ring.promiscuous = !w.not_promiscuous;
  if (!w.duration.empty()) o.duration = std::chrono::nanoseconds(parse_time("--duration", w.duration));
  if (!w.max_latency.empty()) o.max_latency = std::chrono::nanoseconds(parse_time("--max-latency", w.max_latency));
  if (o.max_latency < std::chrono::milliseconds(10) || o.max_latency > std::chrono::hours(1)) {
    throw Error("--max-latency: 10ms to 1h", ExitStatus::usage);
  }
  o.affinity = parse_affinity(w.affinity);
  if (o.set_irq_affinity && o.affinity.of == Affinity::Of::off) {
    throw Error("--set-irq-affinity goes with --affinity auto or a list", ExitStatus::usage);
  }
  if (!w.ring_size.empty()) o.ring.bytes = parse_size("--ring-size", w.ring_size);
  if (o.ring.bytes < kLeastRing || o.ring.bytes > kMostRing) {
    throw Error("--ring-size: 256K to 2G", ExitStatus::usage);
  }
  if (!w.streams.empty()) o.detector = detector_options_of(w);
  if (!w.metrics.empty()) o.service.metrics = parse_metrics_address(w.metrics);
  for (const std::string& name : w.metrics_names) {
    if (!o.service.metrics) throw Error("--metrics-name goes with --metrics", ExitStatus::usage);
    o.service.metrics->other_names.push_back(parse_metrics_name(name));
  }
  if (!w.drain_timeout.empty()) {
    o.service.drain_timeout = std::chrono::nanoseconds(parse_time("--drain-timeout", w.drain_timeout));
  }
  if (!w.statistics.empty()) {
    if (!o.extract.output.collector || o.extract.output.collector->protocol != ExportProtocol::ipfix) {
      throw Error("--collector-statistics goes with --collector and IPFIX", ExitStatus::usage);
    }
    o.service.statistics = std::chrono::nanoseconds(parse_time("--collector-statistics", w.statistics));
    if (o.service.statistics < std::chrono::milliseconds(100)) {
      throw Error("--collector-statistics: 100ms or more", ExitStatus::usage);
    }
  }
  return o;
}

// A library that is loaded for an output may begin threads that let no signal in, as Apache Arrow's allocator does, and
// so could not be told to drop their rights later. What only files' rights allow, as where its folder is somebody
// else's, it gets in the second try.
LiveOptions options_without_rights(const LiveWords& words) {
  LiveOptions options;
  try {
    without_rights([&] { options = options_of(words); });
  } catch (const Error&) {
    options = options_of(words);
  }
  return options;
}

ExitStatus run_live(const CLI::App& command, const LiveWords& words) {
  LiveOptions options = options_without_rights(words);
  refuse_idle_live_options(command, options);
  do_not_wait_for_standard_error();
  options.service.signals = &watch_for_service_signals();
  return live(options, watch_for_interrupt());
}

// The first option that --advise would ignore; "" if there is none.
std::string ignored_by_advise(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    if (option->count() > 0 && !option->check_lname("advise")) return option->get_name();
  }
  return "";
}

ExitStatus advise_alone(const std::string& interface, const std::string& other) {
  if (!other.empty()) {
    throw Error("--advise goes alone: it captures nothing, so " + other + " would mean nothing", ExitStatus::usage);
  }
  let_signals_in();
  return advise(interface);
}

}  // namespace

void add_live_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<LiveWords>();
  words->metering.sample_may_change = true;
  CLI::App* command = app.add_subcommand("live", "packets of network interfaces to Flow Records");
  command->add_option("FILTER", words->filter, "a capture filter as in pcap-filter(7)");
  add_capture_options(*command, *words);
  add_folder_options(*command, *words);
  add_file_options(*command, words->output);
  add_export_options(*command, words->output);
  add_record_options(*command, words->metering);
  add_timeouts(*command, words->metering);
  add_method_options(*command, words->metering);
  command->option_defaults()->group("Resources");
  add_backend_options(*command, words->metering, "the CPU");
  add_memory_options(*command, words->metering);
  command->get_option("--threads")->description("threads that meter, at most 256 (default: one a ring)");
  add_detector_options(*command, *words);
  add_service_options(*command, *words);
  add_batch_option(*command, words->metering);
  add_report_options(*command, words->metering);
  command->footer(kLiveExamples);
  command->callback([words, command, &chosen] {
    if (!words->advise.empty()) {
      chosen = [words, other = ignored_by_advise(*command)] { return advise_alone(words->advise, other); };
      return;
    }
    words->options.thread_a_ring = command->count("--threads") == 0;
    chosen = [words, command] { return run_live(*command, *words); };
  });
}

}  // namespace warpmeter::inline app
