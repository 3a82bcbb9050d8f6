// `warpmeter extract`: the options, and what follows from them where the user left them out.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/input_words.h"
#include "cli/metering_words.h"
#include "cli/output_words.h"
#include "cli/parse_values.h"
#include "cli/split_inputs.h"
#include "extract/extract.h"
#include "extract/extract_options.h"
#include "program/interrupt.h"

namespace warpmeter {
namespace {

// As the user wrote them.
struct ExtractWords {
  std::vector<std::string> inputs_and_filter;
  OutputWords output;
  MeteringWords metering;
  std::string backend = "auto", gpus = "0", gpu_memory;
  std::uint32_t batch = 0;
};

const char* const kExtractExamples =
    R"(Examples:
  warpmeter extract trace.pcap                           a table on a terminal, CSV into a pipe
  warpmeter extract -o flows.csv captures/ tcp port 443  a folder, filtered
  warpmeter extract -o all.parquet -o all.csv.zst t.pcap several outputs
  warpmeter extract -o flows.ipfix monday.pcap.zst       compressed with gzip, zstd or lz4
  tcpdump -w - | warpmeter extract -o flows.json -       standard input
)";

void add_backend_options(CLI::App& app, ExtractWords& w) {
  app.add_option("--backend", w.backend, "what meters (default auto: a GPU, but small files the CPU)")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  app.add_option("--gpu", w.gpus,
                 "number of the GPU, as `warpmeter info` lists them; several with commas share the flows; or all "
                 "(default 0)")
      ->type_name("N[,N...]");
  app.add_option("--gpu-memory", w.gpu_memory, "memory of each GPU to use (default: most of what is free)")
      ->type_name("SIZE");
}

void add_batch_option(CLI::App& app, ExtractWords& w) {
  add_count(app, "--batch", 1, kLargestBatch,
            "packets a batch (default " + std::to_string(kDefaultBatch) + ", on a GPU " +
                std::to_string(kDefaultDeviceBatch) + ")",
            [&w](std::uint64_t n) { w.batch = static_cast<std::uint32_t>(n); });
}

Backend backend_of(const std::string& word) {
  if (word == "cpu") return Backend::cpu;
  return word == "cuda" ? Backend::cuda : Backend::automatic;
}

ExtractOptions options_of(const ExtractWords& w) {
  const InputsAndFilter split = split_inputs(w.inputs_and_filter);
  ExtractOptions o = metering_options_of(w.metering, w.output);
  o.inputs = split.inputs;
  o.filter = split.filter;
  o.backend = backend_of(w.backend);
  o.gpus = parse_gpus(w.gpus);
  if (!w.gpu_memory.empty()) o.gpu_memory = std::max<std::uint64_t>(parse_size("--gpu-memory", w.gpu_memory), 1);
  o.batch = w.batch;
  return o;
}

}  // namespace

void add_extract_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<ExtractWords>();
  CLI::App* command = app.add_subcommand("extract", "captures to Flow Records");
  command
      ->add_option(
          "INPUT", words->inputs_and_filter,
          "capture files (pcap, pcapng, HP-CAP, ERF), folders of them, or - for standard input; then perhaps a capture "
          "filter as in pcap-filter(7)")
      ->required();
  command->option_defaults()->group("Input");
  add_input_format(*command, words->metering.options.input_format);
  add_file_order(*command, words->metering.options.order);
  add_recursive(*command, words->metering.options.recursive);
  add_file_options(*command, words->output);
  add_export_options(*command, words->output);
  add_record_options(*command, words->metering);
  add_timeouts(*command, words->metering);
  add_method_options(*command, words->metering);
  command->option_defaults()->group("Resources");
  add_backend_options(*command, *words);
  add_memory_options(*command, words->metering);
  add_batch_option(*command, *words);
  add_report_options(*command, words->metering);
  command->footer(kExtractExamples);
  command->callback(
      [words, &chosen] { chosen = [words] { return extract(options_of(*words), watch_for_interrupt()); }; });
}

}  // namespace warpmeter
