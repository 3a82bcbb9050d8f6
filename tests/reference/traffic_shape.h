// What random traffic should look like. The timeouts and gaps should be those that the traffic will be metered with,
// for its times are chosen close to them.
#pragma once

#include <cstdint>

#include "oracle_ports.h"

namespace reference {

struct TrafficShape {
  uint64_t seed = 1;
  uint32_t packets = 200;   // frames, metered or not
  uint32_t keys = 3;        // address and port pairs; each may carry several protocols
  uint32_t link = 1;        // any of known_links (link.h)
  bool nanoseconds = true;  // else microseconds, and times are cut
  bool big_endian = false;
  bool cut_file = false;  // the last record is cut short

  int64_t idle_timeout = 300'000'000'000;
  int64_t active_timeout = 1'800'000'000'000;
  uint32_t duplicate_window = 1024;
  int64_t duplicate_gap = 100'000'000;
  int64_t duplicate_gap_anonymous = 1'000'000;
  uint32_t block = 0;              // of method five_tuple; resent packets come around its borders
  int64_t retransmission_gap = 0;  // of method five_tuple; resent packets come around it

  uint32_t tcp_percent = 85;
  uint32_t copy_percent = 12;         // copies of earlier packets, exact or nearly
  uint32_t resend_percent = 0;        // earlier TCP packets once more, with another id: no copies
  uint32_t damage_percent = 6;        // damaged or cut packets, and frames without IP
  uint32_t gap_percent = 6;           // steps in time that end near a timeout
  uint32_t jump_percent = 2;          // segments about 2^30, 2^31 or 2^32 numbers away
  uint32_t restart_percent = 3;       // SYNs that start another incarnation
  uint32_t tunnel_percent = 0;        // packets in tunnels, up to ten deep
  uint32_t flip_percent = 0;          // frames with wrong bits anywhere
  uint32_t holes = 0;                 // holes a burst opens in one flow, at most; 0: no bursts
  TunnelPorts ports = usual_ports();  // of tunnels over UDP
  bool time_runs_back = false;        // by 1 ns up to hours
  bool huge_lengths = false;          // IP length 0 with original lengths up to 2^32 - 1
};

}  // namespace reference
