#include "command/info/capture_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/program/messages.h"
#include "base/words/human_units.h"
#include "base/words/json_value_text.h"
#include "base/words/printable.h"
#include "packet/decode/unread_words.h"
#include "packet/file/capture_links.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/segment_sets.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

// Reads all blocks, which says whether they are whole.
void check(const SegmentSet& set, const std::atomic<bool>& interrupted) {
  std::vector<std::uint8_t> buffer;
  BlockDecoder decoder;
  for (const std::string& path : set.files) {
    SegmentFile file(path);
    for (SegmentFile::Block block; !interrupted && file.next(block);) file.read(block, buffer, decoder);
  }
}

std::string options_text(const SetOptions& options) {
  std::string text;
  const auto add = [&text](const std::string& option) { text += (text.empty() ? "" : ", ") + option; };
  if (options.key_vlan) add("--key-vlan");
  if (options.decapsulate) add("--decapsulate");
  for (std::size_t i = 0; i < kUdpTunnels; ++i) {
    const auto& ports = options.tunnel_ports.of(static_cast<UdpTunnel>(i));
    if (ports == TunnelPorts().of(static_cast<UdpTunnel>(i))) continue;
    add(fmt::format("--{}-port {}", kUdpTunnelNames[i], fmt::join(ports, ",")));
  }
  if (!options.filter.empty()) add("filter: " + options.filter);
  return text.empty() ? "none" : text;
}

std::string inputs_text(const std::vector<std::string>& inputs) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(inputs.size(), kMostNamed); ++i) text += (i ? ", " : "") + inputs[i];
  if (inputs.size() > kMostNamed) text += fmt::format(", and {} more", inputs.size() - kMostNamed);
  return text;
}

std::string links_text(const std::vector<std::uint16_t>& links) {
  std::string text;
  for (const std::uint16_t link : links) text += (text.empty() ? "" : ", ") + link_name(link);
  return text;
}

std::string text_of(const SegmentSet& set) {
  std::string text = printable(set.name) + "\n";
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, printable(value));
  };
  const SetFacts& facts = set.facts;
  const std::uint64_t frames = facts.counters.frames;
  line("format", fmt::format("segments, {} of {} parts", set.files.size(), set.partitions));
  line("file size", fmt::format("{} bytes ({})", set.bytes, human_bytes(static_cast<double>(set.bytes))));
  line("captures", inputs_text(facts.inputs));
  line("options", options_text(facts.options));
  line("packets", std::to_string(frames));
  line("decoded", std::to_string(facts.counters.metered));
  const NamedCounts not_ip = not_ip_names(facts.counters, kFewNames);
  if (not_ip.total > 0) line("not IP", text_of(not_ip));
  line("link types", links_text(facts.links));
  if (frames > 0) {
    line("first packet", fmt::format("{} ({} ns)", exact_utc_text(facts.first_ns), facts.first_ns));
    line("latest packet", fmt::format("{} ({} ns)", exact_utc_text(facts.latest_ns), facts.latest_ns));
  }
  return text;
}

std::string json_of(const SegmentSet& set) {
  Json json = {{"file", set.name},
               {"format", "segments"},
               {"file_bytes", set.bytes},
               {"files", set.files},
               {"partitions", set.partitions}};
  json.update(set_facts_value(set.facts));
  return json_text(json) + "\n";
}

}  // namespace

ExitStatus segment_info(const std::vector<std::string>& files, const InfoOptions& options,
                        const std::atomic<bool>& interrupted) {
  const std::vector<SegmentSet> sets = sets_among(files);
  ExitStatus status = ExitStatus::ok;
  for (const SegmentSet& set : sets) {
    check(set, interrupted);
    if (interrupted) return ExitStatus::interrupted;
    if (!options.json && &set != &sets.front()) put("\n");
    put(options.json ? json_of(set) : text_of(set));
    const TraceFindings& found = set.facts.findings;
    for (const std::string& message : found.unreadable) warn(message);
    for (const std::string& line : warnings_of(found.damage, found.skips, found.odd_fractions)) warn(line);
    if (!found.unreadable.empty() || !found.damage.empty()) status = ExitStatus::damaged;
  }
  return status;
}

}  // namespace warpmeter::inline command
