// `warpmeter reassemble`: its options.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
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
#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_output.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

const char* const kReassembleExamples =
    R"(Examples:
  warpmeter reassemble -o streams/ captures/             a folder of files, one a direction
  warpmeter reassemble -o web.json t.pcap tcp port 443   filtered; what was found, and checksums
  warpmeter reassemble -o a.streams.zst -o b/ t.pcap     several outputs, one of them packed
  warpmeter reassemble --unordered -o - t.pcap | reader  a stream of records, as they come)";

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr Bounds kBlockSizes{.least = 1 << 10, .most = 256 << 10, .said = "1K to 256K", .shows_value = true};
constexpr Bounds kTimeouts{.least = kSecond,
                           .most = 256 * kSecond,
                           .said = "1s to 256s, or 0 for never",
                           .shows_value = true,
                           .or_zero = true};
constexpr std::uint64_t kMostGapPackets = 1 << 20;

[[noreturn]] void misused(const std::string& what) { throw Error(what, ExitStatus::usage); }

bool is_folder(const std::string& name) {
  std::error_code error;
  return name.ends_with('/') || std::filesystem::is_directory(name, error);
}

StreamForm form_of(const std::string& name, std::optional<StreamForm> format) {
  std::string_view bare = name;
  bare.remove_suffix(suffix_of(packing_of(name)).size());
  if (has_ending(bare, ".json")) return StreamForm::json;
  if (has_ending(bare, ".streams")) return StreamForm::records;
  if (is_no_file(name)) return format.value_or(StreamForm::records);
  if (bare.size() < name.size()) misused("-o " + name + ": packed is .json or .streams, such as x.streams.zst");
  if (!ending_of(name).empty() && !is_folder(name)) {
    misused("-o " + name + ": which form? Names end in .json or .streams, then perhaps .gz, .zst or .lz4; -o " + name +
            "/ is a folder of files");
  }
  return StreamForm::files;
}

void check_output(const StreamPlace& place) {
  if (place.name.empty()) misused("-o: the name of the output is empty");
  if (place.form == StreamForm::files) return;
  refuse_folder("-o", place.name);
  if (const std::string why = why_not_packed(packing_of(place.name)); !why.empty()) misused(place.name + ": " + why);
  const std::optional<int> descriptor = descriptor_named(place.name);
  if (place.form == StreamForm::records && descriptor && isatty(*descriptor)) {
    misused("-o " + place.name + ": records are no text for a terminal; --format json is");
  }
}

// Options for an output that is not there mean another one.
void check_forms(const ReassembleWords& words, const std::vector<StreamPlace>& outputs) {
  const auto has = [&outputs](StreamForm form) { return std::ranges::count(outputs, form, &StreamPlace::form) > 0; };
  if (words.format && std::ranges::none_of(words.outputs, is_no_file)) {
    misused("--format is for -o -; other outputs are what their names say");
  }
  if (words.payload && !has(StreamForm::json)) misused("--payload is for JSON, such as -o streams.json");
  if (words.files && !has(StreamForm::files)) misused("--files is for a folder of files, such as -o streams/");
  if (words.names && !has(StreamForm::files)) misused("--names is for a folder of files, such as -o streams/");
}

}  // namespace

std::vector<CLI::Option*> add_stream_rules(CLI::App& command, const std::string& before, ReassemblerOptions& streams) {
  return {add_size(command, before + "block-size", streams.block_size,
                   "bytes of a connection that wait before they are submitted, 1K to 256K (default 16K)", kBlockSizes),
          add_time(command, before + "timeout", streams.timeout_ns,
                   "a longer silence ends a connection, 1s to 256s; 0 = never (default 64s)", kTimeouts),
          add_count(command, before + "gap-packets", 0, kMostGapPackets,
                    "pieces of data that may wait behind a gap before it is given up; 0 = none (default 8)",
                    [&streams](std::uint64_t n) { streams.gap_packets = static_cast<std::uint32_t>(n); }),
          add_word(command, before + "overlap", streams.overlap,
                   {{"first", OverlapPolicy::first},
                    {"last", OverlapPolicy::last},
                    {"bsd", OverlapPolicy::bsd},
                    {"linux", OverlapPolicy::linux_},
                    {"windows", OverlapPolicy::windows}},
                   "which copy of a byte counts that came twice, as long as it waits; bsd, "
                   "linux, windows (before Vista): as these receive (default first)")};
}

CLI::Option* add_stream_memory(CLI::App& command, const std::string& before, const std::string& usual,
                               ReassemblerOptions& streams) {
  return add_size(command, before + "memory", streams.memory,
                  "for connections and what they wait with (default: " + usual + ")", kMemoryBounds);
}

ReassembleCommandOptions reassemble_options_of(const ReassembleWords& words) {
  ReassembleCommandOptions options = words.options;
  for (const std::string& name : words.outputs) options.outputs.push_back({name, form_of(name, words.format)});
  std::ranges::for_each(options.outputs, check_output);
  check_forms(words, options.outputs);
  options.payload = words.payload.value_or(options.payload);
  options.files = words.files.value_or(options.files);
  options.names = words.names.value_or(options.names);
  for (const StreamPlace& place : options.outputs) {
    const std::string why = place.form == StreamForm::json ? why_not_told(options.payload) : "";
    if (!why.empty()) misused(place.name + ": " + why);
  }
  if (options.streams.memory == 0) options.streams.memory = default_memory();
  options.is_tmpdir_chosen = !options.tmpdir.empty();
  options.tmpdir = tmpdir_of(options.tmpdir);
  set_inputs(words.inputs_and_filter, options);
  return options;
}

namespace {

void add_stream_inputs(CLI::App& command, ReassembleWords& words) { add_reading(command, words.options); }

void add_stream_outputs(CLI::App& command, ReassembleWords& words) {
  command.option_defaults()->group("Output");
  command
      .add_option(
          "-o,--output", words.outputs,
          "where to: NAME.json, a stream of records (NAME.streams, or - for standard output), or a new or empty "
          "folder of files; several, each with an -o of its own")
      ->required()
      ->type_name("PLACE")
      ->allow_extra_args(false);
  add_word(command, "--format", words.format, {{"json", StreamForm::json}, {"records", StreamForm::records}},
           "what goes to standard output, a pipe or a device (default records)");
  add_word(command, "--payload", words.payload,
           {{"sha256", StreamPayload::sha256}, {"base64", StreamPayload::base64}, {"none", StreamPayload::none}},
           "of bytes JSON tells a checksum, themselves as well, or nothing "
           "(default sha256)");
  add_word(command, "--files", words.files,
           {{"direction", StreamFileOf::direction}, {"connection", StreamFileOf::connection}},
           "a file for each direction that carried bytes, or for each connection "
           "(default direction)");
  add_word(command, "--names", words.names,
           {{"endpoints", StreamFileNames::endpoints}, {"numbered", StreamFileNames::numbered}},
           "files are called by addresses and ports, or by the packet that opened the "
           "connection (default endpoints)");
  command.add_flag("--unordered", words.options.unordered,
                   "records as they come, those of several connections beside each other");
}

void add_stream_options(CLI::App& command, ReassembleWords& words) {
  command.option_defaults()->group("Streams");
  add_tunnels(command, words.options.decapsulate, words.options.tunnel_ports);
  add_stream_rules(command, "--", words.options.streams);
}

void add_stream_resources(CLI::App& command, ReassembleWords& words) {
  command.option_defaults()->group("Resources");
  add_threads(command, words.options.threads);
  add_stream_memory(command, "--", "half of the memory", words.options.streams);
}

void add_tmpdir(CLI::App& command, ReassembleWords& words) {
  command
      .add_option("--tmpdir", words.options.tmpdir,
                  "folder for what waits for its place in an output (default: $TMPDIR, else /tmp)")
      ->type_name("FOLDER");
}

void add_stream_messages(CLI::App& command, ReassembleWords& words) {
  add_messages(command, words.options.quiet, words.options.stats_file);
}

}  // namespace

void add_stream_reader_options(CLI::App& command, ReassembleWords& words) {
  add_stream_inputs(command, words);
  add_stream_options(command, words);
  add_stream_resources(command, words);
  add_stream_messages(command, words);
}

void add_reassemble_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<ReassembleWords>();
  CLI::App* command = app.add_subcommand("reassemble", "captures to the streams that TCP carried in them");
  add_captures(*command, words->inputs_and_filter);
  add_stream_inputs(*command, *words);
  add_stream_outputs(*command, *words);
  add_stream_options(*command, *words);
  add_stream_resources(*command, *words);
  add_tmpdir(*command, *words);
  add_stream_messages(*command, *words);
  command->footer(kReassembleExamples);
  command->callback([words, &chosen] {
    chosen = [words] { return reassemble(reassemble_options_of(*words), watch_for_interrupt()); };
  });
}

}  // namespace warpmeter::inline app
