// `warpmeter coalesce`: its options.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/files/packer.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/coalesce/coalesce.h"
#include "command/coalesce/inline_command.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kCoalesceExamples =
    R"(Examples:
  warpmeter coalesce trace.pcap -o joined.pcapng         runs of TCP packets as super-packets
  warpmeter coalesce captures/ -o joined.pcap.zst tcp    filtered, and packed
  warpmeter coalesce --no-verify host.pcap -o joined.pcap    of the host that sent them: without checksums
  warpmeter coalesce --dry-run trace.pcap                a table of what it would save
  warpmeter coalesce -i eth1 --to tap:tap0               forwarded, and joined, to this host by tap0)";

constexpr Bounds kThresholds{.least = 1 << 10, .most = 64 << 10, .said = "1K to 64K", .shows_value = true};
constexpr Bounds kIntervals{.least = 1, .said = "more than 0"};
constexpr Bounds kInlineRings{.least = 256 << 10, .most = std::uint64_t{2} << 30, .said = "256K to 2G"};

constexpr const char* kOfInline[] = {"--to",        "--timeout", "--reorder",     "--drop-repeats",
                                     "--ring-size", "--metrics", "--metrics-name"};
constexpr const char* kOfFiles[] = {"INPUT",   "--output",    "--dry-run", "--input-format",
                                    "--order", "--recursive", "--resync",  "--threads"};

// What the user says about an inline run, `warpmeter coalesce -i IN --to OUT`.
struct InlineWords {
  std::string interface, to;
  std::vector<std::string> metrics_names;
  InlineOptions options;  // what needs no thought; without what other runs of coalesce have as well
};

struct CoalesceWords {
  std::vector<std::string> inputs_and_filter;
  std::optional<std::string> output;
  bool no_push = false, no_verify = false;
  CoalesceOptions options;  // what needs no thought
  CLI::Option* threshold = nullptr;
  InlineWords of_inline;
};

[[noreturn]] void refuse_words(const std::string& what) { throw Error(what, ExitStatus::usage); }

CoalesceOptions options_of_all(const CoalesceWords& words) {
  CoalesceOptions options = words.options;
  options.coalescing.push = !words.no_push;
  options.verify = !words.no_verify;
  return options;
}

CoalesceOptions coalesce_options_of(const CoalesceWords& words) {
  CoalesceOptions options = options_of_all(words);
  if (words.inputs_and_filter.empty()) refuse_words("INPUT is required: captures; or -i, a network interface");
  set_inputs(words.inputs_and_filter, options);
  if (options.dry_run) {
    if (words.output) refuse_words("--dry-run writes no capture: without -o, its table goes to standard output");
    if (words.threshold->count() > 0) refuse_words("--dry-run has thresholds of its own: it goes without --threshold");
    return options;
  }
  if (!words.output) refuse_words("--output is required, as in: warpmeter coalesce trace.pcap -o joined.pcapng");
  options.output = *words.output;
  options.form = capture_form_of(options.output);
  return options;
}

void add_coalesce_output(CLI::App& command, CoalesceWords& words) {
  command.option_defaults()->group("Output");
  add_capture_output(command, words.output);
  command.add_flag("--dry-run", words.options.dry_run,
                   "no capture: a table of what thresholds of 16K, 32K and 64K would save");
}

void add_joining(CLI::App& command, CoalesceWords& words) {
  command.option_defaults()->group("Joining");
  CoalescerOptions& coalescing = words.options.coalescing;
  words.threshold =
      add_size(command, "--threshold", coalescing.threshold,
               "bytes of payload at which a super-packet is complete, 1K to 64K (default 65000)", kThresholds);
  command.add_flag("--no-push", words.no_push, "a packet with PSH does not end its super-packet");
  command.add_flag(
      "--no-verify", words.no_verify,
      "packets with wrong checksums are joined, too, and have right ones then: captures of the host that sent "
      "them have none yet");
  add_time(command, "--interval", coalescing.interval_ns,
           "average interval of the packets of a direction, as long as there was none; ten times as long a silence "
           "ends a super-packet (default 1ms)",
           kIntervals);
}

void add_inline_metrics(CLI::App& command, InlineWords& words) {
  CLI::Option* const metrics =
      add_text(command, "--metrics",
               "offer metrics for Prometheus at http://ADDRESS:PORT/metrics (default address 127.0.0.1)",
               [&words](const std::string& text) { words.options.metrics = parse_metrics_address(text); })
          ->type_name("[ADDRESS:]PORT");
  command
      .add_option("--metrics-name", words.metrics_names,
                  "another name of this machine by which metrics are asked for; may be given again (default: "
                  "localhost, the machine's own name, and its addresses)")
      ->allow_extra_args(false)
      ->type_name("HOST")
      ->needs(metrics);
}

// The group "Inline". Parsing sets `words`, which must outlive it.
void add_inline(CLI::App& command, InlineWords& words) {
  command.option_defaults()->group("Inline");
  command
      .add_option("-i,--interface", words.interface,
                  "in place of captures: forward the packets of this network interface to --to, with those of TCP "
                  "joined, and what comes from there as it is")
      ->type_name("IFACE");
  command
      .add_option("--to", words.to,
                  "where they go: tap:NAME, a TAP device here, or tap:NAME@NETNS, in a network namespace, made if it "
                  "is not there; or if:NAME, an interface that cuts them again (TSO)")
      ->type_name("OUT");
  CoalescerOptions& coalescing = words.options.common.coalescing;
  add_word(command, "--timeout", words.options.by_average, {{"batch", false}, {"average", true}},
           "when what waits leaves: batch, as soon as no packet is there to be taken; average, ten times the average "
           "interval of its packets after the last, 20 ms at most (default batch)");
  command.add_flag_callback(
      "--reorder", [&coalescing] { coalescing.sorts = true; },
      "a packet ahead of its turn waits for those before it, as in captures (default: it begins the next "
      "super-packet)");
  command.add_flag("--drop-repeats", coalescing.drops_repeats,
                   "a packet whose bytes were all forwarded before is dropped, once; when it comes again it passes");
  add_size(command, "--ring-size", words.options.ring_bytes,
           "memory for what comes while nobody reads (256K to 2G, default 32M)", kInlineRings);
  add_inline_metrics(command, words);
}

// Throws Error (usage) for an option that means nothing to the kind of run that the command line asks for.
void refuse_idle_coalesce_options(const CLI::App& command, const InlineWords& words, bool is_inline) {
  if (is_inline) {
    for (const char* const option : kOfFiles) {
      if (command.count(option) > 0) refuse_words(std::string(option) + ": it is for captures, and goes without -i");
    }
    if (command.count("--to") == 0) {
      refuse_words("--to is required, as in: warpmeter coalesce -i eth1 --to tap:tap0");
    }
    if (command.count("--interval") > 0 && !words.options.by_average) {
      refuse_words("--interval goes with --timeout average: without it, all leaves as soon as no packet is there");
    }
    return;
  }
  for (const char* const option : kOfInline) {
    if (command.count(option) > 0) refuse_words(std::string(option) + " goes with -i");
  }
}

// With the options that all runs have.
InlineOptions inline_options_of(const InlineWords& words, const CoalesceOptions& common) {
  InlineOptions options = words.options;
  const CoalescerOptions of_inline = options.common.coalescing;
  options.common = common;
  options.common.coalescing.sorts = of_inline.sorts;
  options.common.coalescing.drops_repeats = of_inline.drops_repeats;
  options.interface = words.interface;
  options.to = parse_inline_output(words.to);
  for (const std::string& name : words.metrics_names) options.metrics->other_names.push_back(parse_metrics_name(name));
  return options;
}

// A service has no time for who reads its messages.
ExitStatus run_inline(const CoalesceWords& words) {
  do_not_wait_for_standard_error();
  const InlineOptions options = inline_options_of(words.of_inline, options_of_all(words));
  const ServiceSignals& signals = watch_for_service_signals();  // before those that interrupt
  return coalesce_inline(options, signals, watch_for_interrupt());
}

ExitStatus run_coalesce(const CLI::App& command, const CoalesceWords& words) {
  const bool is_inline = command.count("--interface") > 0;
  refuse_idle_coalesce_options(command, words.of_inline, is_inline);
  if (is_inline) return run_inline(words);
  return coalesce(coalesce_options_of(words), watch_for_interrupt());
}

}  // namespace

void add_coalesce_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<CoalesceWords>();
  CoalesceOptions& options = words->options;
  CLI::App* command = app.add_subcommand(
      "coalesce", "captures, or packets on their way, with runs of TCP packets joined to super-packets");
  add_captures(*command, words->inputs_and_filter)->required(false);
  add_reading(*command, options);
  add_coalesce_output(*command, *words);
  add_joining(*command, *words);
  words->of_inline.options.common.coalescing.sorts = false;
  add_inline(*command, words->of_inline);
  command->option_defaults()->group("Resources");
  add_threads(*command, options.threads);
  add_size(*command, "--memory", options.memory, "for packets that wait (default 1G)", kMemoryBounds);
  add_messages(*command, options.quiet, options.stats_file);
  command->footer(kCoalesceExamples);
  command->callback(
      [words, command, &chosen] { chosen = [words, command] { return run_coalesce(*command, *words); }; });
}

}  // namespace warpmeter::inline app
