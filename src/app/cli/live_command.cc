// `warpmeter live`: the options.
#include <net/if.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/metrics/metrics_address.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/advise/advise.h"
#include "command/live/live.h"
#include "command/live/run_options.h"
#include "core/observed_points.h"
#include "core/seeded_hash.h"
#include "record/columns/column_option.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000, kHour = 3600'000 * kMillisecond;
constexpr Bounds kRingSizes{.least = 256 << 10, .most = std::uint64_t{2} << 30, .said = "256K to 2G"};
constexpr Bounds kLatencies{.least = 10 * kMillisecond, .most = kHour, .said = "10ms to 1h"};
constexpr Bounds kStatisticsTimes{.least = 100 * kMillisecond, .said = "100ms or more"};
constexpr std::uint64_t kLeastQueue = 1 << 20;
constexpr Bounds kQueues{.least = kLeastQueue, .said = "at least 1M"};
constexpr unsigned kMostRings = 64;

// As the user wrote them.
struct LiveWords {
  std::vector<std::string> filter;
  OutputWords output;
  MeteringWords metering;
  std::string advise, affinity = "off";
  std::vector<std::string> metrics_names;
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
  add_time(app, "--duration", w.options.duration, "stop after this time (default, and 0: on SIGINT or SIGTERM)");
  add_time(app, "--max-latency", w.options.max_latency,
           "to collectors, pipes and files of --rotate TIME Flow Records go at most this long after they have "
           "ended (10ms to 1h, default 1s)",
           kLatencies);
  add_word(
      app, "--ring", w.options.kind,
      {{"auto", RingKind::automatic}, {"xdp", RingKind::xdp}, {"packet", RingKind::packet}, {"pcap", RingKind::pcap}},
      "how packets come: xdp takes them before the kernel's own network does, which gets none of them then; "
      "packet and pcap leave them (default auto: xdp where it works and the interface has no other use, else "
      "packet)");
  add_word(app, "--fanout", w.options.ring.fanout,
           {{"auto", Fanout::automatic}, {"hash", Fanout::hash}, {"queue", Fanout::queue}, {"cpu", Fanout::cpu}},
           "what shares packets between several rings of --ring packet: hash of addresses and ports, the RX queue "
           "or the CPU that a packet came by, which cost less (default auto: queue where the card's RSS is "
           "symmetric, else hash)");
  add_count(app, "--rings", 1, kMostRings,
            "rings of each interface, which share its conversations; several help where one core of the kernel cannot "
            "fill one (default 1; with xdp one for each of its RX queues)",
            [&w](std::uint64_t n) { w.options.rings = static_cast<unsigned>(n); });
  add_size(app, "--ring-size", w.options.ring.bytes,
           "memory of each ring of a network interface: what comes while nobody reads (256K to 2G, default 64M)",
           kRingSizes);
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
  app.add_flag_callback(
      "-p,--no-promiscuous", [&w] { w.options.ring.promiscuous = false; },
      "only what is sent to this machine or by it");
}

void add_service_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("Service");
  CLI::Option* const metrics =
      add_text(app, "--metrics",
               "offer metrics for Prometheus at http://ADDRESS:PORT/metrics (default address 127.0.0.1)",
               [&w](const std::string& text) { w.options.service.metrics = parse_metrics_address(text); })
          ->type_name("[ADDRESS:]PORT");
  app.add_option("--metrics-name", w.metrics_names,
                 "another name of this machine by which metrics are asked for; may be given again (default: localhost, "
                 "the machine's own name, and its addresses)")
      ->allow_extra_args(false)
      ->type_name("HOST")
      ->needs(metrics);
  add_time(app, "--drain-timeout", w.options.service.drain_timeout,
           "when the capture has ended, how long all that was metered may take to be written (default 30s)");
  add_time(app, "--collector-statistics", w.options.service.statistics,
           "IPFIX: so often, and at the end, tell the collector what was metered, ignored, sent and lost, in Options "
           "Records",
           kStatisticsTimes);
}

std::string socket_of(const std::string& word) {
  constexpr std::string_view kUnix = "unix:";
  if (!word.starts_with(kUnix) || word.size() == kUnix.size()) {
    throw Error("--streams " + word + ": unix:PATH, where a program listens at the socket PATH", ExitStatus::usage);
  }
  return word.substr(kUnix.size());
}

void add_detector_options(CLI::App& app, LiveWords& w) {
  DetectorOptions& detector = w.options.detector;
  app.option_defaults()->group("Streams for a detector");
  CLI::Option* const streams =
      add_text(app, "--streams",
               "TCP streams, put together, as records for a program that listens at this Unix socket; metering never "
               "waits for it",
               [&detector](const std::string& word) { detector.socket = socket_of(word); })
          ->type_name("unix:PATH");
  std::vector<CLI::Option*> of_streams = add_stream_rules(app, "--stream-", detector.streams);
  of_streams.push_back(add_stream_memory(app, "--stream-", "an eighth of the memory", detector.streams));
  of_streams.push_back(add_size(
      app, "--stream-queue", detector.queue,
      "records that wait for the detector; what finds no room is dropped, and counted (default 64M)", kQueues));
  for (CLI::Option* const option : of_streams) option->needs(streams);
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
    return !one.file.empty() && (is_lines(one.format) || one.format == Format::parquet);
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

void refuse_bad_choice(const LiveOptions& o) {
  OutputOptions output = o.extract.output;
  const ObservedPoints nowhere;
  const auto add = [&](OutputOptions& one) {
    if (o.interface_columns) std::ranges::copy(observed_columns(nowhere), std::back_inserter(one.extra_columns));
  };
  add(output);
  std::ranges::for_each(output.also, add);
  refuse_choice(output, {.vlan = o.extract.key_vlan, .biflow = o.extract.biflow, .numbered = false});
}

LiveOptions options_of(const LiveWords& w) {
  LiveOptions o = w.options;
  if (o.interfaces.empty()) throw Error("--interface is required" + what_to_say(w), ExitStatus::usage);
  // Who sends what is captured must not choose flows that are left out.
  MeteringWords metering = w.metering;
  metering.options.sample.seed = random_hash_seed();
  o.extract = metering_options_of(metering, w.output);
  refuse_columns(o.extract.output, o.extract.biflow, false);
  refuse_bad_choice(o);
  o.policy_file = metering.policy_file;
  if (!o.policy_socket.empty()) o.extract.never_overwrite.push_back(o.policy_socket);
  if (o.extract.rarest_sample) refuse_idle_changing_sample(o.extract);
  for (const std::string& word : w.filter) o.extract.filter += (o.extract.filter.empty() ? "" : " ") + word;
  refuse_stats_over_state(o.extract.stats_file, o.state);
  if (o.interface_columns) refuse_idle_interface_columns(o.extract);
  o.affinity = parse_affinity(w.affinity);
  if (o.set_irq_affinity && o.affinity.of == Affinity::Of::off) {
    throw Error("--set-irq-affinity goes with --affinity auto or a list", ExitStatus::usage);
  }
  constexpr std::uint64_t kPartOfMemory = 4;  // of the half that is metering's
  if (o.detector.streams.memory == 0) {
    o.detector.streams.memory = std::max(default_memory() / kPartOfMemory, kLeastQueue);
  }
  for (const std::string& name : w.metrics_names) {
    o.service.metrics->other_names.push_back(parse_metrics_name(name));
  }
  if (o.service.statistics.count() > 0 &&
      (!o.extract.output.collector || o.extract.output.collector->protocol != ExportProtocol::ipfix)) {
    throw Error("--collector-statistics goes with --collector and IPFIX", ExitStatus::usage);
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
  const ServiceSignals& signals = watch_for_service_signals();  // first: options may compile a policy for minutes
  LiveOptions options = options_without_rights(words);
  refuse_idle_live_options(command, options);
  do_not_wait_for_standard_error();
  options.service.signals = &signals;
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
  words->metering.policy_may_change = true;
  words->options.ring.fanout = Fanout::automatic;
  CLI::App* command = app.add_subcommand("live", "packets of network interfaces to Flow Records");
  command->add_option("FILTER", words->filter, "a capture filter as in pcap-filter(7)");
  add_capture_options(*command, *words);
  add_folder_options(*command, *words);
  add_file_options(*command, words->output);
  add_export_options(*command, words->output);
  add_record_options(*command, words->metering);
  add_timeouts(*command, words->metering);
  add_policy_options(*command, words->metering);
  command
      ->add_option("--policy-socket", words->options.policy_socket,
                   "a Unix socket for this user and root, where groups and init rules of the policy are set while the "
                   "capture runs")
      ->type_name("PATH")
      ->needs(command->get_option("--policy"));
  add_annex_option(*command, words->metering);
  add_method_options(*command, words->metering);
  command->option_defaults()->group("Resources");
  add_backend_options(*command, words->metering, "the CPU");
  add_memory_options(*command, words->metering);
  command->get_option("--threads")
      ->description("threads that meter, at most 256 (default: one a ring; with --policy or --annex one a CPU core)");
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
