// What every command that reads packets is asked: which, how, and what it tells of it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/program/messages.h"
#include "core/tunnel_ports.h"
#include "packet/file/inputs.h"
#include "packet/file/trace_files.h"
#include "warpmeter/job.h"

namespace warpmeter::inline pipeline {

struct CommandOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> never_overwrite;           // by who gives inputs through pipes: no output takes their place
  InputFormat input_format = InputFormat::automatic;  // of all inputs
  bool resync = false;                                // goes on behind damage
  FileOrder order = FileOrder::time;                  // of several
  bool recursive = false;                             // folders with all below them
  std::string filter;                                 // empty = all packets
  bool decapsulate = false;
  TunnelPorts tunnel_ports;  // with decapsulate
  unsigned threads = 1;
  std::string stats_file;  // empty = none
  bool quiet = false;

  // Takes warnings, each one line, from any thread. Empty: they go to standard error.
  std::function<void(const std::string& line)> warn = {};
  // Takes how far reading is, on a thread of its own, and at the end of reading. Empty: nobody is told.
  std::function<void(const ReadingProgress& progress)> tell_progress = {};
};

// Where the run's warnings go.
inline void warn_of(const CommandOptions& run, const std::string& line) {
  if (run.warn) run.warn(line);
  else warn(line);
}

// All that was named to be read, folders too.
inline std::vector<std::string> named_inputs(const CommandOptions& run) {
  std::vector<std::string> named = run.inputs;
  named.insert(named.end(), run.never_overwrite.begin(), run.never_overwrite.end());
  return named;
}

}  // namespace warpmeter::inline pipeline
