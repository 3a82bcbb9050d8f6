#include "command/live/live_state.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "pipeline/run/summary.h"

namespace warpmeter::inline command {
namespace {

std::string count(std::uint64_t n) { return human_count(static_cast<double>(n)); }

std::string host_text(const FlowKey& key) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(key.version == 6 ? AF_INET6 : AF_INET, key.source, text, sizeof text);
  return text;
}

std::string ignored_text(const RunningCounts& metering) {
  std::string text;
  for (int i = 0; i < kIgnoredReasons; ++i) {
    if (!metering.ignored[i]) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kIgnoredNames[i], metering.ignored[i]);
  }
  return text.empty() ? "none" : text;
}

std::string collector_text(const ExportState& state) {
  std::string text = fmt::format("{} records, {} of them lost, {} waiting", state.counters.records,
                                 state.counters.lost_records, human_bytes(static_cast<double>(state.queued_bytes)));
  if (!state.connected) text += ", not connected";
  return text;
}

}  // namespace

std::string status_line(const LiveState& now, const LiveState& before, const std::vector<TopHost>& talkers) {
  const double seconds = std::max(now.up_seconds - before.up_seconds, 1e-3);
  const auto rate = [seconds](std::uint64_t a, std::uint64_t b) { return static_cast<double>(a - b) / seconds; };
  std::string line = fmt::format("{} packets/s, {}, lost {}", human_count(rate(now.offered(), before.offered())),
                                 human_bit_rate(rate(now.bytes_read, before.bytes_read)), count(now.lost()));
  if (now.lost() != before.lost()) line += fmt::format(" (now {}/s)", human_count(rate(now.lost(), before.lost())));
  if (now.sample_one_in > 1) line += fmt::format(", 1/{} of flows", now.sample_one_in);
  line += fmt::format(", {} live flows", count(now.metering.live_flows));
  if (now.records_leave) {
    line += fmt::format(", {} records/s", human_count(rate(now.records.records, before.records.records)));
  }
  std::uint64_t not_written = 0;
  for (const OutputLossCounts& output : now.outputs) not_written += output.lost.records;
  if (not_written) line += fmt::format(", {} records not written", count(not_written));
  if (now.collector) {
    if (now.collector->counters.lost_records) {
      line += fmt::format(", collector lost {}", count(now.collector->counters.lost_records));
    }
    if (now.collector->queued_bytes) {
      line += fmt::format(", {} wait for it", human_bytes(static_cast<double>(now.collector->queued_bytes)));
    }
  }
  if (now.policy && now.policy->dropped) line += fmt::format(", dropped {} by policy", count(now.policy->dropped));
  if (now.most_rounds) line += fmt::format(", at most {}", human_number_of(now.most_rounds, "round"));
  if (now.streams && now.streams->dropped_blocks) {
    line += fmt::format(", blocks dropped {}", count(now.streams->dropped_blocks));
  }
  for (const TopHost& talker : talkers) {
    line += fmt::format("{}{} {}", &talker == talkers.data() ? "; top " : ", ", host_text(talker.key),
                        human_bit_rate(static_cast<double>(talker.bytes)));
  }
  return line;
}

std::string summary_so_far(const LiveState& state) {
  std::string text = fmt::format("warpmeter: so far, after {}\n", human_time(state.up_seconds));
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, printable(value));
  };
  line("packets offered", std::to_string(state.offered()));
  line("packets lost", losses_text(state.rings, state.points));
  line("packets metered", std::to_string(state.metering.metered));
  line("packets ignored", ignored_text(state.metering));
  if (state.sample_one_in > 1) line("sample of flows", fmt::format("1/{}", state.sample_one_in));
  line("live flows", std::to_string(state.metering.live_flows));
  line("flow records", state.records_leave ? std::to_string(state.records.records) : "when the capture ends");
  if (const std::string lost = text_of(state.outputs); !lost.empty()) line("not written", lost);
  if (state.policy) line("policy", policy_text(*state.policy));
  if (state.most_rounds) line("rounds", fmt::format("at most {} of a packet", state.most_rounds));
  if (state.collector) line("collector", collector_text(*state.collector));
  if (state.streams) line("streams", streams_text(*state.streams));
  return text;
}

std::string cut_to_columns(std::string line, std::size_t columns) {
  constexpr std::size_t kDots = 3;
  if (line.size() <= columns) return line;
  line.resize(columns > kDots ? columns - kDots : 0);
  return columns > kDots ? line + "..." : line;
}

}  // namespace warpmeter::inline command
