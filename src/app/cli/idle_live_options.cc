#include "app/cli/command_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "command/live/open_points.h"
#include "command/live/run_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

using Kinds = unsigned;  // a bit each

constexpr Kinds bit_of(SourceKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr Kinds kOneNetwork = bit_of(SourceKind::network), kNetwork = kOneNetwork | bit_of(SourceKind::pattern);
constexpr Kinds kFeeder = bit_of(SourceKind::feeder);
constexpr Kinds kRings = kNetwork | kFeeder | bit_of(SourceKind::hpcap);

struct Meant {
  const char* option;
  Kinds kinds;
  const char* why;
};

constexpr Meant kMeant[] = {
    {"--ring", kNetwork, "it is for network interfaces"},
    {"--rings", kNetwork | kFeeder, "it is for network interfaces and feeders (shm:NAME)"},
    {"--fanout", kNetwork, "it is for network interfaces"},
    {"--ring-size", kNetwork, "it is for network interfaces"},
    {"--set-irq-affinity", kOneNetwork, "it is for network interfaces that are named"},
    {"--no-promiscuous", kNetwork, "it is for network interfaces"},
    {"--interface-columns", kRings, "files were observed elsewhere"},
    {"--streams", kRings, "what files hold warpmeter reassemble puts together"},
};

Kinds kinds_of(const std::vector<std::string>& words) {
  Kinds kinds = 0;
  for (const std::string& word : words) kinds |= bit_of(source_kind_of(word));
  return kinds;
}

std::string names_of(Kinds kinds) {
  std::string text;
  for (const auto& [kind, name] :
       {std::pair(SourceKind::pattern, "any and patterns"), std::pair(SourceKind::feeder, "shm:NAME"),
        std::pair(SourceKind::hpcap, "hpcap:N"), std::pair(SourceKind::folder, "folder:PATH")}) {
    if (kinds & bit_of(kind)) text += fmt::format("{}{}", text.empty() ? "-i " : " and ", name);
  }
  return text;
}

[[noreturn]] void refuse(const std::string& text) { throw Error(text, ExitStatus::usage); }

bool is_given(const CLI::App& command, const char* option) { return command.count(option) > 0; }

}  // namespace

void refuse_idle_live_options(const CLI::App& command, const LiveOptions& options) {
  const Kinds kinds = kinds_of(options.interfaces);
  for (const Meant& meant : kMeant) {
    if (!is_given(command, meant.option) || (kinds & meant.kinds)) continue;
    refuse(fmt::format("{} means nothing for {}: {}", meant.option, names_of(kinds), meant.why));
  }
  if (options.extract.rarest_sample && !(kinds & kRings)) {
    refuse("--sample-flows auto means nothing for -i folder:PATH: files wait until they are metered");
  }
  if (options.extract.policy.bound && !(kinds & kRings)) {
    refuse("--rounds auto means nothing for -i folder:PATH: files wait until they are metered");
  }
  if (options.kind == RingKind::pcap && options.rings > 1 && !(kinds & kFeeder)) {
    refuse("--ring pcap has one ring, so --rings means nothing; --ring packet has several");
  }
  const bool may_share = options.kind == RingKind::packet || options.kind == RingKind::automatic;
  if (is_given(command, "--fanout") && !(may_share && options.rings > 1)) {
    refuse("--fanout shares packets between several rings of AF_PACKET: with --ring packet and --rings 2 or more");
  }
  const bool on_gpu = options.extract.backend == Backend::cuda;
  for (const char* const option : {"--gpu", "--gpu-memory"}) {
    if (is_given(command, option) && !on_gpu) {
      refuse(fmt::format("{} goes with --backend cuda: without it live meters on the CPU", option));
    }
  }
  if (is_given(command, "--streams") && on_gpu) {
    refuse("--streams goes with metering on the CPU, where a thread reads each ring: without --backend cuda");
  }
  // On a GPU it is also how long a batch waits to become full.
  if (is_given(command, "--max-latency") && !on_gpu && !leave_while_running(options.extract)) {
    refuse(
        "--max-latency means nothing where all Flow Records are written when the capture ends: without --collector, a "
        "pipe or --rotate TIME, and with --biflow or --aggregate");
  }
}

}  // namespace warpmeter::inline app
