// The options of commands, as the user wrote them, for those that programs name themselves too (app/library/), and
// those of streams, which `live` has as well. The file of each command defines its own (extract_command.cc).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/metering_words.h"
#include "app/cli/output_words.h"
#include "command/packets/select_packets.h"
#include "command/reassemble/reassemble.h"
#include "command/report/report.h"
#include "command/show/show.h"
#include "packet/write/packet_records.h"
#include "pipeline/metering/extract_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter::inline command {
struct LiveOptions;
}

namespace warpmeter::inline app {

struct ExtractWords {
  std::vector<std::string> inputs_and_filter;
  OutputWords output;
  MeteringWords metering;
};

// All of the command but the inputs. `words` must outlive the parsing.
void add_extract_options(CLI::App& command, ExtractWords& words);

// Throws Error (usage).
ExtractOptions extract_options_of(const ExtractWords& words);

// How TCP streams are put together: options of `reassemble` and, with another beginning of their names, of `live`.
// Names begin with `before`, "--" or "--stream-". Parsing sets `streams`, which must outlive it, or throws Error
// (usage). Both join the group that is open.

// Block size, timeout, gap packets and overlap.
std::vector<CLI::Option*> add_stream_rules(CLI::App& command, const std::string& before, ReassemblerOptions& streams);

// `usual` says what it is where nothing is said of it: it is left as it was then.
CLI::Option* add_stream_memory(CLI::App& command, const std::string& before, const std::string& usual,
                               ReassemblerOptions& streams);

struct ReassembleWords {
  std::vector<std::string> inputs_and_filter, outputs;
  std::optional<StreamForm> format;  // of what is no file; nothing here and below: not given
  std::optional<StreamPayload> payload;
  std::optional<StreamFileOf> files;
  std::optional<StreamFileNames> names;
  ReassembleCommandOptions options;  // what needs no thought
};

// Options of `reassemble` for who takes the streams in this process: all but those of outputs.
void add_stream_reader_options(CLI::App& command, ReassembleWords& words);

// An output is what its name says: JSON, records, or a folder. Throws Error (usage); also where a name ends like that
// of another file.
ReassembleCommandOptions reassemble_options_of(const ReassembleWords& words);

struct PacketsWords {
  std::vector<std::string> inputs_and_filter;
  std::vector<std::string> inputs;  // in place of these, none of which is a filter
  MeteringWords metering;
  std::string filter, verdicts;
  std::vector<std::string> flows;
  std::optional<std::string> output, format;
  bool headers_only = false, features = false;
  FeatureOptions of_features;
  bool is_taken = false;              // a program takes rows: there may be no output
  bool has_flows_of_program = false;  // in place of files
  std::vector<std::string> given;     // options that were: parsing sets it
};

// All of the command but the inputs. `words` must outlive the parsing.
void add_packets_options(CLI::App& command, PacketsWords& words);

// Throws Error (usage).
PacketsOptions packets_options_of(const PacketsWords& words);

struct ShowWords {
  std::vector<std::string> files, geo;
  std::string filter, sort, top, sum, having, columns;
  OutputWords output;
  bool recursive = false, aggregate = false, json = false, csv = false, quiet = false;
  std::vector<std::string> packets;  // captures, of which packets are wanted in place of flows; of the command line
  bool headers_only = false;         // of these
};

// All of the command but the files. `words` must outlive the parsing.
void add_show_options(CLI::App& command, ShowWords& words);

// Throws Error (usage).
ShowOptions show_options_of(ShowWords words);

// `report`, all but the inputs. `options` must outlive the parsing.
void add_page_options(CLI::App& command, ReportOptions& options);

// Options of `live` that would change nothing of this capture: whoever gave one meant something by it. `command`: which
// options were given. Throws Error (usage) for the first that means nothing to anything that is captured.
void refuse_idle_live_options(const CLI::App& command, const LiveOptions& options);

// -o of what writes a capture. Parsing sets `output`, which must outlive it.
void add_capture_output(CLI::App& command, std::optional<std::string>& output);

// The form of a capture, by its name. Throws Error (usage) where no capture can be written to such a name. `others`:
// what else that error says of names.
CaptureForm capture_form_of(const std::string& name, const std::string& others = "");

}  // namespace warpmeter::inline app
