#include "app/cli/command_words.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/files/file_name.h"
#include "base/files/output_place.h"
#include "base/files/packer.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

void check_capture(const std::string& name) {
  if (name.empty()) throw Error("-o: the name of the output is empty", ExitStatus::usage);
  refuse_folder("-o", name);
  if (const std::string why = why_not_packed(packing_of(name)); !why.empty())
    throw Error(name + ": " + why, ExitStatus::usage);
  const std::optional<int> descriptor = descriptor_named(name);
  if (descriptor && isatty(*descriptor))
    throw Error("-o " + name + ": a capture is no text for a terminal", ExitStatus::usage);
}

}  // namespace

void add_capture_output(CLI::App& command, std::optional<std::string>& output) {
  command
      .add_option("-o,--output", output,
                  "the capture to make: NAME.pcap or NAME.pcapng, perhaps with .gz, .zst or .lz4 behind it, or - for "
                  "standard output (pcapng)")
      ->type_name("FILE");
}

CaptureForm capture_form_of(const std::string& name, const std::string& others) {
  check_capture(name);
  std::string_view bare = name;
  bare.remove_suffix(suffix_of(packing_of(name)).size());
  if (has_ending(bare, ".pcap")) return CaptureForm::pcap;
  if (has_ending(bare, ".pcapng") || is_no_file(name)) return CaptureForm::pcapng;
  throw Error("-o " + name + ": which form? Names end in .pcap or .pcapng, then perhaps .gz, .zst or .lz4" + others,
              ExitStatus::usage);
}

}  // namespace warpmeter::inline app
