// What a Metering and an Exporting Process tell their collector about themselves: Options Records (RFC 7011, section
// 4). All counts are since the process began.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter {

struct ProcessStatistics {
  std::int64_t now_ns = 0;       // since 1970 UTC
  std::uint32_t process_id = 0;  // of the Exporting Process

  std::uint64_t exported_messages = 0, exported_records = 0, exported_bytes = 0;  // Flow Records
  std::uint64_t not_sent_flows = 0;                                               // Flow Records that were lost

  std::uint64_t observed_flows = 0;
  std::uint64_t ignored_packets = 0, ignored_bytes = 0;

  // A place where packets are observed: a ring of an interface; or what an interface lost before they came to any.
  struct Point {
    std::uint64_t id = 0;
    std::string interface;
    std::uint64_t packets = 0;  // offered there, those that were lost included
    std::uint64_t dropped = 0;
  };
  std::vector<Point> points;
};

}  // namespace warpmeter
