// What the user says about the inputs of a command that reads captures: which they are, how they are read, which
// tunnels are taken apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tunnel_ports.h"
#include "packet/file/inputs.h"
#include "packet/file/trace_files.h"
#include "packet/segments/segment_sets.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter::inline app {

// These add an option that sets the variable, which must outlive the parsing.
CLI::Option* add_input_format(CLI::App& command, InputFormat& format);                     // --input-format
CLI::Option* add_file_order(CLI::App& command, FileOrder& order);                          // --order
CLI::Option* add_recursive(CLI::App& command, bool& recursive);                            // --recursive
CLI::Option* add_geo(CLI::App& command, std::vector<std::string>& files);                  // --geo
CLI::Option* add_resync(CLI::App& command, bool& resync);                                  // --resync
CLI::Option* add_partition(CLI::App& command, std::optional<PartitionChoice>& partition);  // --partition

void open_input_group(CLI::App& command);

// INPUT: captures, and perhaps a filter behind them; `more` is told besides.
CLI::Option* add_captures(CLI::App& command, std::vector<std::string>& words, const std::string& more = "");

// `warpmeter extract INPUT... [FILTER]`: where the inputs end and the capture filter begins.
struct InputsAndFilter {
  std::vector<std::string> inputs;
  std::string filter;  // empty if there is none
};

// Inputs are "-" and what exists; the first word that is neither begins the filter. A word that looks like a file and
// does not exist is taken for a file, so that a typing error is reported as one. Throws Error (usage) if a filter
// stands before inputs.
InputsAndFilter split_inputs(const std::vector<std::string>& words);

// What INPUT says. Throws Error (usage).
template <class Options>
void set_inputs(const std::vector<std::string>& words, Options& options) {
  const InputsAndFilter split = split_inputs(words);
  options.inputs = split.inputs;
  options.filter = split.filter;
}

// The group "Input", which stays open: how they are read.
template <class Options>
void add_reading(CLI::App& command, Options& options) {
  open_input_group(command);
  add_input_format(command, options.input_format);
  add_file_order(command, options.order);
  add_recursive(command, options.recursive);
  add_resync(command, options.resync);
}

// The group "Tunnels": --decapsulate, and the ports by which those over UDP are known. The group that was open stays
// open. Parsing sets both variables, which must outlive it.
void add_tunnels(CLI::App& command, bool& decapsulate, TunnelPorts& ports);

// "4789,8472": ports in place of those before; "+5000": these as well. Throws Error (usage).
TunnelPorts::Ports parse_ports(const std::string& option, const std::string& text, const TunnelPorts::Ports& before);

}  // namespace warpmeter::inline app
