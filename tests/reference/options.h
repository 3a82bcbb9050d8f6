// The choices a user has, with their defaults. Times are in ns.
#pragma once

#include <cstdint>

namespace reference {

struct Options {
  int64_t idle_timeout = 300'000'000'000;      // 0: never
  int64_t active_timeout = 1'800'000'000'000;  // 0: never
  int64_t duplicate_window = 1024;             // packet numbers
  int64_t duplicate_gap = 100'000'000;
  int64_t duplicate_gap_anonymous = 1'000'000;  // IPv6, and IPv4 with id 0
  bool aggregate = false;
  bool key_vlan = false;
};

}  // namespace reference
