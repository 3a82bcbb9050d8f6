// `warpmeter live`: the options.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/metering_words.h"
#include "cli/output_words.h"
#include "cli/parse_values.h"
#include "live/live.h"
#include "program/interrupt.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kLeastRing = 256 << 10, kMostRing = std::uint64_t{2} << 30;
constexpr unsigned kMostRings = 64;

// As the user wrote them.
struct LiveWords {
  std::vector<std::string> filter;
  OutputWords output;
  MeteringWords metering;
  std::string ring_size, duration, max_latency, affinity = "off";
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
)";

void add_capture_options(CLI::App& app, LiveWords& w) {
  app.option_defaults()->group("Capture");
  app.add_option("-i,--interface", w.options.interfaces,
                 "network interface to capture from, may be given again; or folder:PATH, files that are written there")
      ->type_name("IFACE")
      ->required()
      ->allow_extra_args(false);
  app.add_option("--duration", w.duration, "stop after this time (default: on SIGINT or SIGTERM)")->type_name("TIME");
  app.add_option("--max-latency", w.max_latency,
                 "to collectors, pipes and files of --rotate TIME Flow Records go at most this long after they have "
                 "ended (default 1s)")
      ->type_name("TIME");
  add_count(app, "--rings", 1, kMostRings,
            "rings of each interface, which share its conversations; several help where one core of the kernel cannot "
            "fill one (default 1)",
            [&w](std::uint64_t n) { w.options.rings = static_cast<unsigned>(n); });
  app.add_option("--ring-size", w.ring_size, "memory of each ring: what comes while nobody reads (default 64M)")
      ->type_name("SIZE");
  app.add_option(
         "--affinity", w.affinity,
         "CPU of each thread and of the memory of its rings: a list like 0,2-5; auto: near the interface's card "
         "(default off)")
      ->type_name("auto|LIST|off");
  app.add_flag("--set-irq-affinity", w.options.set_irq_affinity,
               "with --affinity: interrupts of the interface's queues go to the CPUs of their rings, until the end");
  app.add_flag("-p,--no-promiscuous", w.not_promiscuous, "only what is sent to this machine or by it");
}

LiveOptions options_of(const LiveWords& w) {
  LiveOptions o = w.options;
  o.extract = metering_options_of(w.metering, w.output);
  for (const std::string& word : w.filter) o.extract.filter += (o.extract.filter.empty() ? "" : " ") + word;
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
  return o;
}

}  // namespace

void add_live_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<LiveWords>();
  CLI::App* command = app.add_subcommand("live", "packets of network interfaces to Flow Records");
  command->add_option("FILTER", words->filter, "a capture filter as in pcap-filter(7)");
  add_capture_options(*command, *words);
  add_file_options(*command, words->output);
  add_export_options(*command, words->output);
  add_record_options(*command, words->metering);
  add_timeouts(*command, words->metering);
  add_method_options(*command, words->metering);
  command->option_defaults()->group("Resources");
  add_memory_options(*command, words->metering);
  add_report_options(*command, words->metering);
  command->footer(kLiveExamples);
  command->callback([words, &chosen] { chosen = [words] { return live(options_of(*words), watch_for_interrupt()); }; });
}

}  // namespace warpmeter
