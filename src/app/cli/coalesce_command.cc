// `warpmeter coalesce`: its options.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/inline_words.h"
#include "app/cli/input_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/files/packer.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/coalesce/coalesce.h"
#include "command/coalesce/inline_coalesce.h"
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

struct CoalesceWords {
  std::vector<std::string> inputs_and_filter;
  std::optional<std::string> output;
  bool no_push = false, no_verify = false;
  CoalesceOptions options;  // what needs no thought
  CLI::Option* threshold = nullptr;
  InlineWords of_inline;
};

[[noreturn]] void refuse_words(const std::string& what) { throw Error(what, ExitStatus::usage); }

CaptureForm capture_form_of(const std::string& name) {
  std::string_view bare = name;
  bare.remove_suffix(suffix_of(packing_of(name)).size());
  if (has_ending(bare, ".pcap")) return CaptureForm::pcap;
  if (has_ending(bare, ".pcapng") || is_no_file(name)) return CaptureForm::pcapng;
  refuse_folder(name);
  refuse_words("-o " + name + ": which form? Names end in .pcap or .pcapng, then perhaps .gz, .zst or .lz4");
}

void check_capture(const std::string& name) {
  if (name.empty()) refuse_words("-o: the name of the output is empty");
  if (const std::string why = why_not_packed(packing_of(name)); !why.empty()) refuse_words(name + ": " + why);
  const std::optional<int> descriptor = descriptor_named(name);
  if (descriptor && isatty(*descriptor)) refuse_words("-o " + name + ": a capture is no text for a terminal");
}

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
  check_capture(options.output);
  options.form = capture_form_of(options.output);
  return options;
}

void add_coalesce_output(CLI::App& command, CoalesceWords& words) {
  command.option_defaults()->group("Output");
  command
      .add_option("-o,--output", words.output,
                  "the capture to make: NAME.pcap or NAME.pcapng, perhaps with .gz, .zst or .lz4 behind it, or - for "
                  "standard output (pcapng)")
      ->type_name("FILE");
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
           "ends a super-packet (default 1ms)");
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
  refuse_idle_coalesce_options(command, is_inline);
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
