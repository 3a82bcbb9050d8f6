// Flow Records as the report's tests want them.
#pragma once

#include <cstdint>
#include <string>

#include "support/export_records.h"
#include "warpmeter/columns.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::test {

inline constexpr std::int64_t kNoon = 1'700'000'000'000'000'000;  // 2023-11-14 22:13:20 UTC
inline constexpr std::int64_t kSecondNs = 1'000'000'000;

// Of host number `from` (10.0.x.y) to host number `to`; one second long.
inline FlowRecord flow_between(int from, int to, std::uint8_t protocol = kProtocolTcp, int port = 443) {
  const auto address = [](int n) { return "10.0." + std::to_string(n / 250) + "." + std::to_string(n % 250 + 1); };
  FlowRecord record;
  record.key = key_of(address(from).c_str(), address(to).c_str(), 50000, port, protocol);
  record.start_ns = kNoon;
  record.end_ns = kNoon + kSecondNs;
  record.packets = 10;
  record.bytes = 5000;
  return record;
}

inline FlowRecord data_flow(int from, int to, std::uint64_t data_segments, std::uint64_t retransmitted) {
  FlowRecord record = flow_between(from, to);
  record.packets = data_segments;
  record.bytes = 1500 * data_segments;
  record.payload_bytes = 1460 * data_segments;
  record.data_segments = data_segments;
  record.retransmitted_segments = retransmitted;
  return record;
}

// For FlowRecord::absent.
inline std::uint32_t without(std::string_view column) { return std::uint32_t{1} << column_number(column); }

inline std::size_t occurrences(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

}  // namespace warpmeter::test
