#include "pipeline/run/trace_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "packet/segments/segment_file.h"
#include "packet/segments/segment_trace.h"
#include "pipeline/run/command_run.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {
namespace {

[[noreturn]] void misused(const std::string& what) { throw Error(what, ExitStatus::usage); }

std::vector<std::string> folders_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> folders;
  const auto is_folder = [](const std::string& input) {
    std::error_code error;
    return std::filesystem::is_directory(input, error);
  };
  std::ranges::copy_if(inputs, std::back_inserter(folders), is_folder);
  return folders;
}

bool is_empty(const std::string& file) {
  std::error_code error;
  return std::filesystem::file_size(file, error) == 0 && !error;
}

}  // namespace

TraceInputs::TraceInputs(const ExtractOptions& options, const std::atomic<bool>& interrupted)
    : options_(options), interrupted_(interrupted) {
  const bool any_format = options.input_format == InputFormat::automatic;
  const auto is_segments = [any_format](const std::string& file) { return any_format && is_segment_file(file); };
  found_ = expand_inputs(options.inputs, options.input_format, options.recursive, outputs_of(options), is_segments);
  const auto first = std::ranges::find_if(found_.files, is_segments);
  if (first != found_.files.end()) {
    const auto other = std::ranges::find_if_not(found_.files, is_segments);
    if (other != found_.files.end()) {
      if (is_empty(*other)) throw Error(*other + ": the file is empty");
      misused(fmt::format("{} holds segments, {} does not: they are no one trace", *first, *other));
    }
    take_sets();
  } else if (options.partition) {
    misused("--partition is for segment files: see warpmeter decode");
  }
}

void TraceInputs::take_sets() {
  if (!found_.unreadable.empty()) throw Error(joined(found_.unreadable));
  sets_ = look_at_sets(found_.files, folders_of(options_.inputs), options_.order, options_.partition);
  const SetOptions& set = sets_->options;
  if (!options_.filter.empty()) {
    misused(
        fmt::format("filter '{}': segments cannot be filtered, warpmeter decode takes it (nor is there a file of "
                    "that name)",
                    options_.filter));
  }
  if (options_.policy.policy) misused("--policy: it is for captures, segments have no payload");
  if (options_.key_vlan && !set.key_vlan) misused("--key-vlan: these segments were decoded without it");
  if (options_.decapsulate && !set.decapsulate) misused("--decapsulate: these segments were decoded without it");
  if (options_.tunnel_ports.is_chosen() && options_.tunnel_ports != set.tunnel_ports) {
    misused("ports of tunnels, such as --vxlan-port: these segments were decoded with others");
  }
  if (!options_.sample.takes_all()) misused("--sample-flows: it is for captures, these are segments");
  options_.key_vlan = set.key_vlan;
  options_.decapsulate = set.decapsulate;
  options_.tunnel_ports = set.tunnel_ports;
}

std::unique_ptr<TraceSource> TraceInputs::open(const PacketFilter* filter) const {
  if (sets_) return std::make_unique<SegmentTrace>(*sets_, interrupted_);
  return open_captures(options_, found_.files, filter, interrupted_);
}

}  // namespace warpmeter::inline pipeline
