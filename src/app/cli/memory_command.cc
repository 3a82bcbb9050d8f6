// `warpmeter memory`: its options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/program/interrupt.h"
#include "command/memory/measure_memory.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kLeastTableMemory = 1 << 20;

const char* const kMemoryExamples =
    R"(Examples:
  warpmeter memory trace.pcap                           tables, and what 1 to 100 Gbit/s of such traffic would need
  warpmeter memory --timeout 16s --block-size 4K captures/
  warpmeter memory -o memory.html captures/             a page with charts
  warpmeter memory -o memory.csv monday/                of a folder that warpmeter decode wrote)";

struct MemoryWords {
  std::vector<std::string> inputs_and_filter;
  std::string format, timeout, block_size, memory;
  MemoryOptions options;
};

struct MemoryFormatName {
  MemoryFormat format;
  std::string_view name, suffix;
};
constexpr std::array<MemoryFormatName, 4> kMemoryFormats = {{{MemoryFormat::table, "table", ".txt"},
                                                             {MemoryFormat::csv, "csv", ".csv"},
                                                             {MemoryFormat::json, "json", ".json"},
                                                             {MemoryFormat::html, "html", ".html"}}};

std::vector<std::string> names_of_formats() {
  std::vector<std::string> names;
  for (const MemoryFormatName& format : kMemoryFormats) names.emplace_back(format.name);
  return names;
}

MemoryFormat memory_format_of(const MemoryWords& words) {
  const std::string& output = words.options.output;
  for (const MemoryFormatName& format : kMemoryFormats) {
    if (words.format.empty() ? has_ending(output, format.suffix) : words.format == format.name) return format.format;
  }
  if (is_no_file(output)) return MemoryFormat::table;
  refuse_folder(output);
  throw Error(fmt::format("-o {}: which format? Names end in one of .txt, .csv, .json, .html; or say --format", output),
              ExitStatus::usage);
}

void set_choice(const MemoryWords& words, MemoryOptions& options) {
  if (!words.timeout.empty()) {
    const auto number = timeout_number(parse_time("--timeout", words.timeout));
    if (!number) {
      throw Error(fmt::format("--timeout {}: not one of 1, 2, 4, 8, 16, 32, 64, 128, 256 s", words.timeout),
                  ExitStatus::usage);
    }
    options.timeout = *number;
  }
  if (words.block_size.empty()) return;
  const auto number = block_size_number(parse_size("--block-size", words.block_size));
  if (!number) {
    throw Error(fmt::format("--block-size {}: not one of 1K, 2K, 4K, 8K, 16K, 32K, 64K, 128K, 256K", words.block_size),
                ExitStatus::usage);
  }
  options.block_size = *number;
}

MemoryOptions memory_options_of(const MemoryWords& words) {
  MemoryOptions options = words.options;
  set_inputs(words.inputs_and_filter, options);
  options.format = memory_format_of(words);
  if (!options.title.empty() && options.format != MemoryFormat::html)
    throw Error("--title is of a page: -o FILE.html, or --format html", ExitStatus::usage);
  set_choice(words, options);
  options.memory = words.memory.empty() ? default_memory() : parse_size("--memory", words.memory);
  if (options.memory < kLeastTableMemory) throw Error("--memory: at least 1M", ExitStatus::usage);
  return options;
}

void add_memory_output(CLI::App& command, MemoryWords& words) {
  command.option_defaults()->group("Output");
  command
      .add_option("-o,--output", words.options.output,
                  "where to; .csv, .json, .html and .txt choose the format (default: -, standard output, a table)")
      ->type_name("FILE");
  command.add_option("--format", words.format, "format, whatever the name of the output")
      ->check(CLI::IsMember(names_of_formats()));
  command.add_option("--title", words.options.title, "heading of a page (default: Memory for streams)")
      ->type_name("TEXT");
  command.option_defaults()->group("What is told of 1, 10 and 100 Gbit/s");
  command.add_option("--timeout", words.timeout, "one of those of the tables: 1, 2, 4 ... 256 s (default 64s)")
      ->type_name("TIME");
  command.add_option("--block-size", words.block_size, "one of those of the tables: 1K, 2K, 4K ... 256K (default 16K)")
      ->type_name("SIZE");
}

}  // namespace

void add_memory_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<MemoryWords>();
  MemoryOptions& options = words->options;
  CLI::App* command = app.add_subcommand("memory", "what memory TCP streams need, by timeout and block size");
  add_captures(*command, words->inputs_and_filter, "; or segment files, as decode writes them");
  add_reading(*command, options);
  add_tunnels(*command, options.decapsulate, options.tunnel_ports);
  add_memory_output(*command, *words);
  command->option_defaults()->group("Resources");
  add_threads(*command, options.threads);
  command->add_option("--memory", words->memory, "for connections, living and dead (default: half of the memory)")
      ->type_name("SIZE");
  add_messages(*command, options.quiet, options.stats_file);
  command->footer(kMemoryExamples);
  command->callback([words, &chosen] {
    chosen = [words] { return measure_memory(memory_options_of(*words), watch_for_interrupt()); };
  });
}

}  // namespace warpmeter::inline app
