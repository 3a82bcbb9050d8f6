// What the user asked of `warpmeter reassemble`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/metering/command_options.h"
#include "stream/reassembly/reassembler_options.h"

namespace warpmeter::inline command {

enum class StreamForm : std::uint8_t { json, records, files };
enum class StreamPayload : std::uint8_t { sha256, base64, none };   // what JSON tells of bytes
enum class StreamFileOf : std::uint8_t { direction, connection };   // what has a file
enum class StreamFileNames : std::uint8_t { endpoints, numbered };  // what it is called by

struct StreamPlace {
  std::string name;  // "-" is standard output
  StreamForm form = StreamForm::files;
};

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

}  // namespace warpmeter::inline command
