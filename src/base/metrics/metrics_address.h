// Where metrics are offered, as users write it: 9100 and :9100 are that port of 127.0.0.1; other addresses have to be
// named, as 192.0.2.1:9100 or [2001:db8::1]:9100. Port 0 is any that is free.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter::inline base {

struct MetricsAddress {
  std::string host = "127.0.0.1";  // an address, without brackets
  std::uint16_t port = 0;
  std::vector<std::string> other_names = {};  // by which it is asked for, see host_names.h

  // "127.0.0.1:9100", "[::1]:9100".
  std::string name() const;
};

// Throws Error (usage) with what was wrong.
MetricsAddress parse_metrics_address(const std::string& text);

// Of --metrics-name: a name as host_names.h compares them. Throws Error (usage).
std::string parse_metrics_name(const std::string& text);

}  // namespace warpmeter::inline base
