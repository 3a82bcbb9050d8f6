// What the user asked for. parse() either returns options that make sense together or ends the program's run with a
// status: 0 after --help, 2 after one line that says what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace traffic_gen {

struct Options {
  uint64_t seed = 1;
  uint64_t packets = 1'000'000;  // 0: endless
  uint64_t flows = 10'000;
  uint64_t first_connection = 0;
  double rate = 200'000;
  double start = 0;  // seconds
  double mean_packets = 100;
  uint32_t frame_size = 500;
  uint32_t snaplen = 65'535;
  bool microseconds = false;
  bool clean = false;

  double ipv6 = 0.2, vlan = 0.1, udp = 0.1, icmp = 0.005;     // of connections
  double reset = 0.05, port_reuse = 0.05, mid_stream = 0.05;  // of TCP connections
  double loss = 0.01, retransmit = 0.01, reorder = 0.01;      // of data segments
  double keep_alive = 0.001, zero_window = 0.001;             // of data segments
  double duplicate = 0.005;                                   // of frames
  double structural = 0.5;                                    // of retransmissions
  double retransmit_wait = 0;                                 // seconds

  std::string output, truth, truth_flows;  // empty: not asked for
};

// -> the options, or nothing and the exit status to end with.
std::optional<Options> parse(int argc, char** argv, int& status);

}  // namespace traffic_gen
