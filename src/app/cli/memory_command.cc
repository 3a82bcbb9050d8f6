// `warpmeter memory`: its options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

const char* const kMemoryExamples =
    R"(Examples:
  warpmeter memory trace.pcap                           tables, and what 1 to 100 Gbit/s of such traffic would need
  warpmeter memory --timeout 16s --block-size 4K captures/
  warpmeter memory -o memory.html captures/             a page with charts and heat maps
  warpmeter memory -o memory.csv monday/                of a folder that warpmeter decode wrote)";

struct MemoryWords {
  std::vector<std::string> inputs_and_filter;
  std::optional<MemoryFormat> format;
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

std::vector<std::pair<std::string, std::optional<MemoryFormat>>> memory_format_words() {
  std::vector<std::pair<std::string, std::optional<MemoryFormat>>> words;
  for (const MemoryFormatName& format : kMemoryFormats) words.emplace_back(format.name, format.format);
  return words;
}

MemoryFormat memory_format_of(const MemoryWords& words) {
  const std::string& output = words.options.output;
  refuse_folder("-o", output);
  if (words.format) return *words.format;
  for (const MemoryFormatName& format : kMemoryFormats) {
    if (has_ending(output, format.suffix)) return format.format;
  }
  if (is_no_file(output)) return MemoryFormat::table;
  throw Error(fmt::format("-o {}: which format? Names end in one of .txt, .csv, .json, .html; or say --format", output),
              ExitStatus::usage);
}

// The numbers of those that the tables have.
void set_timeout(const std::string& text, MemoryOptions& options) {
  const auto number = timeout_number(parse_time("--timeout", text));
  if (!number) {
    throw Error(fmt::format("--timeout {}: not one of 1, 2, 4, 8, 16, 32, 64, 128, 256 s", text), ExitStatus::usage);
  }
  options.timeout = *number;
}

void set_block_size(const std::string& text, MemoryOptions& options) {
  const auto number = block_size_number(parse_size("--block-size", text));
  if (!number) {
    throw Error(fmt::format("--block-size {}: not one of 1K, 2K, 4K, 8K, 16K, 32K, 64K, 128K, 256K", text),
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
  if (options.memory == 0) options.memory = default_memory();
  return options;
}

void add_memory_output(CLI::App& command, MemoryWords& words) {
  command.option_defaults()->group("Output");
  command
      .add_option("-o,--output", words.options.output,
                  "where to; .csv, .json, .html and .txt choose the format (default: -, standard output, a table)")
      ->type_name("FILE");
  add_word(command, "--format", words.format, memory_format_words(), "format, whatever the name of the output");
  command.add_option("--title", words.options.title, "heading of a page (default: Memory for streams)")
      ->type_name("TEXT");
  command.option_defaults()->group("What is told of 1, 10 and 100 Gbit/s");
  add_text(command, "--timeout", "one of those of the tables: 1, 2, 4 ... 256 s (default 64s)",
           [&words](const std::string& text) { set_timeout(text, words.options); })
      ->type_name("TIME");
  add_text(command, "--block-size", "one of those of the tables: 1K, 2K, 4K ... 256K (default 16K)",
           [&words](const std::string& text) { set_block_size(text, words.options); })
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
  add_size(*command, "--memory", options.memory, "for connections, living and dead (default: half of the memory)",
           kMemoryBounds);
  add_messages(*command, options.quiet, options.stats_file);
  command->footer(kMemoryExamples);
  command->callback([words, &chosen] {
    chosen = [words] { return measure_memory(memory_options_of(*words), watch_for_interrupt()); };
  });
}

}  // namespace warpmeter::inline app
