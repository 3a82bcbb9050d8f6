// `warpmeter extract`: the options, and what follows from them where the user left them out.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "base/program/interrupt.h"
#include "command/extract/extract.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kExtractExamples =
    R"(Examples:
  warpmeter extract trace.pcap                           a table on a terminal, CSV into a pipe
  warpmeter extract -o flows.csv captures/ tcp port 443  a folder, filtered
  warpmeter extract -o a.parquet -o a.csv.zst t.pcap     several outputs
  warpmeter extract -o flows.ipfix monday.pcap.zst       compressed with gzip, zstd or lz4
  tcpdump -w - | warpmeter extract -o flows.json -       standard input
  warpmeter extract --partition 3/16 -o 3.csv monday/    of segment files)";

}  // namespace

void add_extract_options(CLI::App& command, ExtractWords& words) {
  add_reading(command, words.metering.options);
  add_partition(command, words.metering.options.partition);
  add_file_options(command, words.output);
  add_export_options(command, words.output);
  add_record_options(command, words.metering);
  add_annex_option(command, words.metering);
  add_timeouts(command, words.metering);
  add_policy_options(command, words.metering);
  add_method_options(command, words.metering);
  command.option_defaults()->group("Resources");
  add_backend_options(command, words.metering, "a GPU for very large files or if one is named, else the CPU");
  add_memory_options(command, words.metering);
  add_batch_option(command, words.metering);
  add_report_options(command, words.metering);
}

ExtractOptions extract_options_of(const ExtractWords& words) {
  ExtractOptions options = metering_options_of(words.metering, words.output);
  refuse_choice(options.output, {.vlan = options.key_vlan, .biflow = options.biflow});
  set_inputs(words.inputs_and_filter, options);
  if (options.backend == Backend::cpu && options.gpu_named) {
    throw Error("--gpu and --gpu-memory go with --backend auto or cuda: cpu takes no GPU", ExitStatus::usage);
  }
  return options;
}

namespace {

ExitStatus run_extract(const ExtractWords& words) {
  const ExtractOptions options = extract_options_of(words);  // first: while a policy is compiled, a signal ends all
  return extract(options, watch_for_interrupt());
}

}  // namespace

void add_extract_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<ExtractWords>();
  CLI::App* command = app.add_subcommand("extract", "captures to Flow Records");
  add_captures(*command, words->inputs_and_filter);
  add_extract_options(*command, *words);
  command->footer(kExtractExamples);
  command->callback([words, &chosen] { chosen = [words] { return run_extract(*words); }; });
}

}  // namespace warpmeter::inline app
