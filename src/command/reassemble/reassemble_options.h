// What the user asked of `warpmeter reassemble`, parsed and with defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tunnel_ports.h"
#include "packet/file/input_format.h"
#include "packet/file/trace_files.h"
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

struct ReassembleCommandOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> also_read;                 // files that whoever gives the inputs reads: never written over
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  FileOrder order = FileOrder::time;                  // of several
  bool recursive = false;                             // folders with all below them
  std::string filter;                                 // empty = all packets
  bool decapsulate = false;
  TunnelPorts tunnel_ports;  // with decapsulate
  ReassemblerOptions streams;
  std::vector<StreamPlace> outputs;  // one at least
  StreamPayload payload = StreamPayload::sha256;
  StreamFileOf files = StreamFileOf::direction;
  StreamFileNames names = StreamFileNames::endpoints;
  bool unordered = false;  // records as they come
  unsigned threads = 1;
  std::string tmpdir;
  bool is_tmpdir_chosen = false;  // the user has named it
  std::string stats_file;         // empty = none
  bool quiet = false;
};

}  // namespace warpmeter::inline command
