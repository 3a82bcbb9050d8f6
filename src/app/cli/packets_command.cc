// `warpmeter packets`: its options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/capture_words.h"
#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "command/packets/select_packets.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kPacketsExamples =
    R"(Examples:
  warpmeter packets trace.pcap -f 'missing_bytes > 0' -o lossy.pcap
  warpmeter packets trace.pcap --biflow -f 'tcp and unanswered' -o scans.pcap
  warpmeter packets week/ --flows worst.csv -o worst.pcapng.zst
  warpmeter packets day1.pcap day2.pcapng -o both.pcapng tcp port 25
Filters of flows are those of warpmeter show: see warpmeter show --help)";

struct PacketsWords {
  std::vector<std::string> inputs_and_filter;
  MeteringWords metering;
  std::string filter;
  std::vector<std::string> flows;
  std::optional<std::string> output;
};

void refuse_idle_packets_options(const CLI::App& command, const PacketsWords& words) {
  constexpr const char* kOfMetering[] = {"--idle-timeout",  "--active-timeout",          "--method",
                                         "--block",         "--retransmission-gap",      "--duplicate-window",
                                         "--duplicate-gap", "--duplicate-gap-anonymous", "--run-memory",
                                         "--tmpdir"};
  constexpr const char* kOfFlows[] = {"--biflow", "--key-vlan", "--decapsulate"};
  const auto refuse = [](const std::string& option, const char* why) {
    throw Error(option + ": " + why, ExitStatus::usage);
  };
  const bool from_files = !words.flows.empty(), all = words.filter.empty() && !from_files;
  for (const char* const option : kOfMetering) {
    if (command.count(option) > 0 && (from_files || all)) refuse(option, "it goes with -f, and without --flows");
  }
  for (const char* const option : kOfFlows) {
    if (command.count(option) > 0 && all)
      refuse(option, "it goes with -f or --flows: without, all packets are written");
  }
  if (from_files && command.count("--biflow") > 0)
    refuse("--biflow", "not with --flows, whose files tell it themselves");
  if (from_files && command.count("--key-vlan") > 0)
    refuse("--key-vlan", "not with --flows, whose files tell it themselves");
}

PacketsOptions packets_options_of(const CLI::App& command, const PacketsWords& words) {
  refuse_idle_packets_options(command, words);
  PacketsOptions options;
  options.metering = metering_options_of(words.metering, {});
  set_inputs(words.inputs_and_filter, options.metering);
  if (!words.filter.empty()) options.flows.emplace(words.filter, "-f", OtherNames::refuse);
  options.of_files = words.flows;
  if (options.flows && options.flows->is_of_biflows() && words.flows.empty() && !options.metering.biflow) {
    throw Error("-f asks for what only biflows have: it goes with --biflow", ExitStatus::usage);
  }
  // Whose flows lack it would select nothing, without a word.
  if (options.flows && words.flows.empty()) {
    if (options.flows->asks_for(Field::Kind::vlan) && !options.metering.key_vlan) {
      throw Error("-f asks for vlan_id: it goes with --key-vlan", ExitStatus::usage);
    }
    if (options.flows->asks_for(Field::Kind::annotation)) {
      throw Error(
          "-f asks for labels, which metering gives no flow here: it goes with --flows FILE of extract --policy",
          ExitStatus::usage);
    }
  }
  if (std::ranges::count(words.flows, "-") + std::ranges::count(options.metering.inputs, "-") > 1) {
    throw Error("standard input is named twice", ExitStatus::usage);
  }
  if (!words.output) {
    throw Error("--output is required, as in: warpmeter packets trace.pcap -f 'port 443' -o web.pcapng",
                ExitStatus::usage);
  }
  options.output = *words.output;
  options.form = capture_form_of(options.output);
  return options;
}

}  // namespace

void add_packets_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<PacketsWords>();
  MeteringWords& metering = words->metering;
  CLI::App* command = app.add_subcommand("packets", "the packets of chosen flows, as a capture");
  add_captures(*command, words->inputs_and_filter);
  add_reading(*command, metering.options);
  command->option_defaults()->group("Flows");
  command
      ->add_option("-f,--filter", words->filter,
                   "only packets of flows that meet this, such as 'tcp and retransmitted_segments > 9'; flows are "
                   "metered as by extract, and the captures read twice")
      ->type_name("EXPR");
  command
      ->add_option(
          "--flows", words->flows,
          "take flows from this file of Flow Records, by their Flow Keys and times: all, or those that meet -f; "
          "may be given again")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_flow_options(*command, metering);
  add_tunnels(*command, metering.options.decapsulate, metering.options.tunnel_ports);
  add_timeouts(*command, metering);
  add_method_options(*command, metering);
  command->option_defaults()->group("Output");
  add_capture_output(*command, words->output);
  command->option_defaults()->group("Resources");
  add_memory_options(*command, metering);
  add_messages(*command, metering.options.quiet, metering.options.stats_file);
  command->footer(kPacketsExamples);
  command->callback([words, command, &chosen] {
    chosen = [words, command] {
      const PacketsOptions options = packets_options_of(*command, *words);
      return select_packets(options, watch_for_interrupt());
    };
  });
}

}  // namespace warpmeter::inline app
