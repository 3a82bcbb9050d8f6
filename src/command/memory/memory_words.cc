#include "command/memory/memory_words.h"

#include <fmt/format.h>

#include <array>

#include "base/words/human_units.h"

namespace warpmeter::inline command {
namespace {

constexpr std::array<unsigned, 3> kGigabits = {1, 10, 100};

std::string seconds_text(std::uint64_t length_ns) { return human_time(static_cast<double>(length_ns) / 1e9); }

// The first timeout that the trace is shorter than.
std::size_t first_long_timeout(const MemoryTables& tables) {
  std::size_t timeout = 0;
  while (timeout < kTimeouts && timeout_ns(timeout) <= tables.length_ns) ++timeout;
  return timeout;
}

}  // namespace

bool has_rate(const MemoryTables& tables) { return tables.length_ns > 0; }

std::string trace_in_words(const MemoryTables& tables) {
  if (tables.is_empty()) return "no IP packets";
  const std::string packets =
      fmt::format("{} IP packet{}", human_count(static_cast<double>(tables.packets)), tables.packets == 1 ? "" : "s");
  const std::string bytes = human_decimal_bytes(static_cast<double>(tables.ip_bytes));
  if (!has_rate(tables)) return fmt::format("{}, {}, all at one time", packets, bytes);
  return fmt::format("{}, {}, {}, {}", seconds_text(tables.length_ns), packets, bytes,
                     human_bit_rate(static_cast<double>(tables.ip_bytes) / tables.seconds()));
}

std::string needs_heading(MemoryChoice choice) {
  return fmt::format("With a timeout of {} s and blocks of {}K such traffic would need, of",
                     timeout_seconds(choice.timeout), block_bytes(choice.block_size) >> 10);
}

std::vector<std::string> needs_in_words(const MemoryTables& tables, MemoryChoice choice) {
  const OverTime& bytes = tables.buffered[choice.timeout][choice.block_size];
  const OverTime& streams = tables.streams[choice.timeout];
  std::vector<std::string> sentences;
  for (const unsigned gigabits : kGigabits) {
    const double times = 1000.0 * gigabits / tables.mbps();
    const auto peak = [times](const OverTime& amount) { return static_cast<double>(amount.peak) * times; };
    sentences.push_back(fmt::format("{} Gbit/s: {} (peak {}) for {} streams (peak {})", gigabits,
                                    human_decimal_bytes(bytes.mean * times), human_decimal_bytes(peak(bytes)),
                                    human_count(streams.mean * times), human_count(peak(streams))));
  }
  return sentences;
}

std::vector<std::string> remarks_on(const MemoryTables& tables) {
  if (tables.is_empty()) return {"There is not a single IP packet, and so nothing to tell."};
  std::vector<std::string> remarks;
  if (!has_rate(tables)) {
    remarks.emplace_back("All packets have one time: there is no rate, and so nothing to tell.");
  } else if (const std::size_t timeout = first_long_timeout(tables); timeout < kTimeouts) {
    remarks.push_back(fmt::format(
        "The trace is {} long: it says little about timeouts {} {} s.", seconds_text(tables.length_ns),
        timeout + 1 < kTimeouts ? "from" : "of",
        timeout + 1 < kTimeouts ? fmt::format("{} to {}", timeout_seconds(timeout), timeout_seconds(kTimeouts - 1))
                                : std::to_string(timeout_seconds(timeout))));
  }
  if (tables.ended_early > 0) {
    remarks.push_back(fmt::format("{} had to end early for want of memory: the figures are too low (--memory).",
                                  human_number_of(tables.ended_early, "connection")));
  }
  if (tables.forgotten > 0) {
    remarks.push_back(fmt::format(
        "{} had to be forgotten for want of memory: what was sent once more thereafter counts as new (--memory).",
        human_number_of(tables.forgotten, "dead connection")));
  }
  if (tables.joined_ranges > 0) {
    remarks.push_back(fmt::format(
        "{} between bytes had to be taken for seen, as there were too many: what was to fill them is not counted.",
        human_number_of(tables.joined_ranges, "gap")));
  }
  return remarks;
}

}  // namespace warpmeter::inline command
