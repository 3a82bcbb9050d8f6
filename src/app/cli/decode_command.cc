// `warpmeter decode`: its options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "command/decode/decode_captures.h"
#include "core/flow_hash.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kDecodeExamples =
    R"(Examples:
  warpmeter decode -o monday/ captures/                 a folder of files that extract reads
  warpmeter decode -o web/ captures/ tcp port 443       of some packets
  WARPMETER_HASH_SEED=secret warpmeter decode -o 1/ a.pcap    to be metered with other sets
  zcat day.pcap.gz | warpmeter decode -o day/ -         from a pipe)";

struct DecodeWords {
  std::vector<std::string> inputs_and_filter;
  DecodeCommandOptions options;
};

DecodeCommandOptions decode_options_of(const DecodeWords& words) {
  DecodeCommandOptions options = words.options;
  set_inputs(words.inputs_and_filter, options);
  if (options.output == "-")
    throw Error("-o -: a set is a folder of files, no stream (./-: one of that name)", ExitStatus::usage);
  return options;
}

void add_partitions(CLI::App& command, unsigned& partitions) {
  const auto set = [&partitions](std::uint64_t count) {
    if (!std::has_single_bit(count)) {
      throw Error(fmt::format("--partitions {}: not a power of two", count), ExitStatus::usage);
    }
    partitions = static_cast<unsigned>(count);
  };
  add_count(command, "--partitions", 1, kShards,
            "files, each with a part of the flows: a power of two up to 64 (default 16)", set);
}

}  // namespace

void add_decode_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<DecodeWords>();
  DecodeCommandOptions& options = words->options;
  CLI::App* command = app.add_subcommand("decode", "captures to segment files, to be metered later or elsewhere");
  add_captures(*command, words->inputs_and_filter);
  add_reading(*command, options);
  command->add_option("--stdin-name", options.stdin_name, "what the files call standard input")->type_name("TEXT");
  command->option_defaults()->group("Output");
  command->add_option("-o,--output", options.output, "the folder to make; one that is there must be empty")
      ->type_name("FOLDER")
      ->required();
  add_partitions(*command, options.partitions);
  command->option_defaults()->group("Segments");
  command->add_flag("--key-vlan", options.key_vlan, "the outermost VLAN id belongs to the Flow Key");
  add_tunnels(*command, options.decapsulate, options.tunnel_ports);
  command
      ->add_option("--hash-seed", options.hash_seed,
                   "any text: sets that are to be metered together need the same; others of this machine see it "
                   "here, but not in $WARPMETER_HASH_SEED, which is the default (else random)")
      ->envname("WARPMETER_HASH_SEED")
      ->type_name("TEXT");
  command->option_defaults()->group("Resources");
  add_threads(*command, options.threads);
  add_messages(*command, options.quiet, options.stats_file);
  command->footer(kDecodeExamples);
  command->callback([words, &chosen] {
    chosen = [words] { return decode_captures(decode_options_of(*words), watch_for_interrupt()); };
  });
}

}  // namespace warpmeter::inline app
