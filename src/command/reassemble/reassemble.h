// `warpmeter reassemble INPUT... -o PLACE`: captures to what TCP carried in them, as JSON, as a stream of records, as a
// folder of files, or as several of these.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/metering/command_options.h"
#include "stream/reassembly/reassembler_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

enum class StreamForm : std::uint8_t { json, records, files };
enum class StreamPayload : std::uint8_t { sha256, base64, none };   // what JSON tells of bytes
enum class StreamFileOf : std::uint8_t { direction, connection };   // what has a file
enum class StreamFileNames : std::uint8_t { endpoints, numbered };  // what it is called by

struct StreamPlace {
  std::string name;  // "-" is standard output
  StreamForm form = StreamForm::files;
};

// What the user asked of it, parsed and with defaults filled in.
struct ReassembleCommandOptions : CommandOptions {
  ReassemblerOptions streams;
  std::vector<StreamPlace> outputs;  // one at least
  StreamPayload payload = StreamPayload::sha256;
  StreamFileOf files = StreamFileOf::direction;
  StreamFileNames names = StreamFileNames::endpoints;
  bool unordered = false;  // records as they come
  std::string tmpdir;
  bool is_tmpdir_chosen = false;  // the user has named it
};

// Once `interrupted` is true, reading ends, and the outputs hold what was read. Throws Error; then there are none, but
// for what has gone into a pipe.
ExitStatus reassemble(const ReassembleCommandOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
