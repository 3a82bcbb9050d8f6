// `warpmeter packets`: its options.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/metering_words.h"
#include "app/cli/parse_values.h"
#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/files/packer.h"
#include "base/program/interrupt.h"
#include "command/packets/select_packets.h"
#include "record/parquet/parquet_files.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kPacketsExamples =
    R"(Examples:
  warpmeter packets trace.pcap -f 'missing_bytes > 0' -o lossy.pcap
  warpmeter packets trace.pcap --biflow -f 'tcp and unanswered' -o scans.pcap
  warpmeter packets week/ --flows worst.csv -o worst.pcapng.zst
  warpmeter packets day1.pcap day2.pcapng -o both.pcapng tcp port 25
  warpmeter packets trace.pcap -o packets.parquet
  warpmeter packets trace.pcap --biflow --features -o features.parquet
  warpmeter packets trace.pcap -w retransmitted,duplicate -o odd.pcapng
Filters of flows are those of warpmeter show: see warpmeter show --help)";

// JSON lines have three names, as of Flow Records.
constexpr std::array<std::pair<std::string_view, TableForm>, 6> kTableForms = {{{"csv", TableForm::csv},
                                                                                {"json", TableForm::json},
                                                                                {"jsonl", TableForm::json},
                                                                                {"ndjson", TableForm::json},
                                                                                {"parquet", TableForm::parquet},
                                                                                {"arrow", TableForm::arrow}}};

// By --format, or the end of the name; nothing: a capture.
std::optional<TableForm> table_form_of(const std::string& output, const std::optional<std::string>& format) {
  const std::string_view bare =
      std::string_view(output).substr(0, output.size() - suffix_of(packing_of(output)).size());
  for (const auto& [word, form] : kTableForms) {
    if (format ? *format == word : has_ending(bare, std::string(".").append(word))) return form;
  }
  return std::nullopt;
}

void check_table(const std::string& output, TableForm form) {
  refuse_folder("-o", output);
  const Packing packing = packing_of(output);
  if (form == TableForm::csv || form == TableForm::json) {
    if (const std::string why = why_not_packed(packing); !why.empty())
      throw Error(output + ": " + why, ExitStatus::usage);
    return;
  }
  if (packing != Packing::none) {
    throw Error("-o " + output + ": compressed by their names are CSV, JSON and captures alone", ExitStatus::usage);
  }
  const std::optional<int> descriptor = descriptor_named(output);
  if (descriptor && isatty(*descriptor))
    throw Error("-o " + output + ": such a table is no text for a terminal", ExitStatus::usage);
  require_parquet();
}

void set_output(const PacketsWords& words, PacketsOptions& options) {
  if (!words.output && words.is_taken) {
    if (words.format) throw Error("--format goes with --output", ExitStatus::usage);
    return options.metering.output.file.clear();
  }
  if (!words.output) {
    throw Error("--output is required, as in: warpmeter packets trace.pcap -f 'port 443' -o web.pcapng",
                ExitStatus::usage);
  }
  options.output = options.metering.output.file = *words.output;
  options.table = table_form_of(options.output, words.format);
  if (options.table) check_table(options.output, *options.table);
  else options.form = capture_form_of(options.output, "; those of tables in .csv, .json, .parquet or .arrow");
}

// Flow Records are there already.
bool has_flows(const PacketsWords& words) { return !words.flows.empty() || words.has_flows_of_program; }

void refuse_idle_packets_options(const PacketsWords& words, bool is_judged) {
  constexpr const char* kOfMetering[] = {"--idle-timeout",  "--active-timeout",          "--method",
                                         "--block",         "--retransmission-gap",      "--duplicate-window",
                                         "--duplicate-gap", "--duplicate-gap-anonymous", "--run-memory",
                                         "--tmpdir"};
  constexpr const char* kOfFlows[] = {"--biflow", "--key-vlan", "--decapsulate"};
  const auto refuse = [&](const std::string& option, bool is_idle, const char* why) {
    if (is_idle && std::ranges::count(words.given, option) > 0) throw Error(option + ": " + why, ExitStatus::usage);
  };
  const bool from_files = has_flows(words), all = words.filter.empty() && !from_files;
  for (const char* const option : kOfMetering) {
    refuse(option, (from_files || all) && !is_judged, "it goes with -f, and without --flows; or with -w, or a table");
  }
  for (const char* const option : kOfFlows) {
    const bool cuts = words.headers_only && option == std::string_view("--decapsulate");
    refuse(option, all && !is_judged && !cuts, "it goes with -f or --flows: without, all packets are written");
  }
  refuse("--biflow", all && !words.features, "it goes with -f, which chooses flows, or with --features");
  for (const char* const option : {"--first-packets", "--idle-after"}) {
    refuse(option, !words.features, "it goes with --features");
  }
  refuse("--flows", words.features, "not with --features, for which flows are metered; -f chooses among them");
  refuse("--verdict", words.features, "not with --features, which have all packets of a flow");
  for (const char* const option : {"--biflow", "--key-vlan"}) {
    refuse(option, from_files, "not with --flows, whose files tell it themselves");
  }
}

void set_features(const PacketsWords& words, PacketsOptions& options) {
  if (!words.features) return;
  if (options.has_capture()) {
    throw Error("-o " + options.output + ": --features makes a table: NAME.csv, .json, .parquet or .arrow",
                ExitStatus::usage);
  }
  if (words.has_flows_of_program) throw Error("--features: flows are metered for it", ExitStatus::usage);
  options.features = words.of_features;
}

// The other method has none of these.
void refuse_verdicts_of_exact(const PacketsOptions& options) {
  if (options.metering.meter.method == Method::exact || options.verdicts.has_all()) return;
  for (const auto verdict : {PacketVerdict::out_of_order, PacketVerdict::keep_alive, PacketVerdict::stray}) {
    if (!options.verdicts.has(verdict)) continue;
    throw Error("-w " + std::string(word_of(verdict)) + ": --method five-tuple finds no such packets",
                ExitStatus::usage);
  }
}

// Whose flows lack it would select nothing, without a word.
void refuse_filters_of_others(const Filter& flows, const ExtractOptions& metering) {
  if (flows.is_of_biflows() && !metering.biflow) {
    throw Error("-f asks for what only biflows have: it goes with --biflow", ExitStatus::usage);
  }
  if (flows.asks_for(Field::Kind::vlan) && !metering.key_vlan) {
    throw Error("-f asks for vlan_id: it goes with --key-vlan", ExitStatus::usage);
  }
  if (flows.asks_for(Field::Kind::annex)) {
    throw Error(
        "-f asks for what first packets tell, which metering does not note here: it goes with --flows FILE of "
        "extract --annex",
        ExitStatus::usage);
  }
  if (flows.asks_for(Field::Kind::annotation)) {
    throw Error("-f asks for labels, which metering gives no flow here: it goes with --flows FILE of extract --policy",
                ExitStatus::usage);
  }
}

}  // namespace

PacketsOptions packets_options_of(const PacketsWords& words) {
  PacketsOptions options;
  options.metering = metering_options_of(words.metering, {});
  set_output(words, options);
  if (!words.verdicts.empty()) options.verdicts = VerdictSet::named(words.verdicts);
  refuse_verdicts_of_exact(options);
  refuse_idle_packets_options(words, options.is_judged() || words.is_taken);
  set_features(words, options);
  if (words.headers_only && !options.has_capture()) {
    throw Error("--headers-only: it goes with captures; a table has no payload", ExitStatus::usage);
  }
  options.headers_only = words.headers_only;
  if (words.inputs.empty()) set_inputs(words.inputs_and_filter, options.metering);
  else options.metering.inputs = words.inputs;
  if (!words.filter.empty()) options.flows.emplace(words.filter, "-f", OtherNames::refuse);
  options.of_files = words.flows;
  if (options.flows && !has_flows(words)) refuse_filters_of_others(*options.flows, options.metering);
  if (std::ranges::count(words.flows, "-") + std::ranges::count(options.metering.inputs, "-") > 1) {
    throw Error("standard input is named twice", ExitStatus::usage);
  }
  return options;
}

void add_packets_options(CLI::App& command, PacketsWords& words) {
  MeteringWords& metering = words.metering;
  add_reading(command, metering.options);
  command.option_defaults()->group("Flows");
  command
      .add_option("-f,--filter", words.filter,
                  "only packets of flows that meet this, such as 'tcp and retransmitted_segments > 9'; flows are "
                  "metered as by extract, and the captures read twice")
      ->type_name("EXPR");
  command
      .add_option(
          "--flows", words.flows,
          "take flows from this file of Flow Records, by their Flow Keys and times: all, or those that meet -f; "
          "may be given again")
      ->allow_extra_args(false)
      ->type_name("FILE");
  add_flow_options(command, metering);
  add_tunnels(command, metering.options.decapsulate, metering.options.tunnel_ports);
  add_timeouts(command, metering);
  add_method_options(command, metering);
  command.option_defaults()->group("Output");
  command
      .add_option("-w,--verdict", words.verdicts,
                  "only packets that metering finds to be one of these: new, retransmitted, duplicate, out_of_order, "
                  "keep_alive, stray, no_segment (not of TCP, or without a usable header); with commas between them")
      ->type_name("WORDS");
  command
      .add_option("-o,--output", words.output,
                  "a capture: NAME.pcap or NAME.pcapng, or - for standard output (pcapng); or a table, a row a packet: "
                  "NAME.csv, .json, .parquet or .arrow. Behind captures, .csv and .json perhaps .gz, .zst or .lz4")
      ->type_name("FILE");
  command.add_flag(
      "--headers-only", words.headers_only,
      "in a capture, cut each packet behind its TCP, UDP or other transport header, as if no more had been "
      "captured; frames without IP stay whole");
  command.add_flag(
      "--features", words.features,
      "a table with a row a flow: lengths, directions and gaps of its first packets, and what those of all "
      "came to, for machine learning; the captures are read twice");
  add_count(command, "--first-packets", 1, 255, "of each flow, with --features (default: 20)",
            [&words](std::uint64_t n) { words.of_features.first_packets = static_cast<std::uint32_t>(n); });
  add_time(command, "--idle-after", words.of_features.idle_after_ns,
           "a longer gap between two packets of a flow is an idle period, with --features (default: 5)");
  command.add_option("--format", words.format, "the form of a table, whatever its name")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "json", "parquet", "arrow"}));
  command.option_defaults()->group("Resources");
  add_memory_options(command, metering);
  add_messages(command, metering.options.quiet, metering.options.stats_file);
  // Once for all: some go with others.
  command.parse_complete_callback([&command, &words] {
    for (const CLI::Option* const option : command.get_options()) {
      if (option->count() > 0 && !option->get_lnames().empty())
        words.given.push_back("--" + option->get_lnames().front());
    }
  });
}

void add_packets_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<PacketsWords>();
  CLI::App* command = app.add_subcommand("packets", "the packets of chosen flows, as a capture or a table");
  add_captures(*command, words->inputs_and_filter);
  add_packets_options(*command, *words);
  command->footer(kPacketsExamples);
  command->callback([words, &chosen] {
    chosen = [words] {
      const PacketsOptions options = packets_options_of(*words);
      return select_packets(options, watch_for_interrupt());
    };
  });
}

}  // namespace warpmeter::inline app
