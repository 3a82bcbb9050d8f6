// The choices a user has, with their defaults. Times are in ns.
#pragma once

#include <cstdint>

#include "oracle_ports.h"

namespace reference {

enum class Method { exact, five_tuple };

struct Options {
  int64_t idle_timeout = 300'000'000'000;      // 0: never
  int64_t active_timeout = 1'800'000'000'000;  // 0: never
  int64_t duplicate_window = 1024;             // packet numbers
  int64_t duplicate_gap = 100'000'000;
  int64_t duplicate_gap_anonymous = 1'000'000;  // IPv6, and IPv4 with id 0
  bool aggregate = false;
  bool key_vlan = false;
  bool first_packet = false;  // a column at the end
  bool decapsulate = false;
  TunnelPorts ports = usual_ports();  // with decapsulate
  uint64_t sample_one_in = 1;         // of flows

  Method method = Method::exact;
  int64_t block = 0;               // five_tuple: packets of a memory block; 0: the whole trace is one
  int64_t retransmission_gap = 0;  // five_tuple: 0: any time after the earlier segment
};

}  // namespace reference
