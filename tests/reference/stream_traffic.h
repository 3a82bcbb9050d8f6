// Captures made for reassembly: a few conversations that get into each other's way, in frames of any kind, with time
// that comes to the borders of the timeout.
#pragma once

#include <cstdint>
#include <vector>

#include "oracle_streams.h"
#include "stream_talker.h"

namespace reference {

struct StreamShape {
  uint64_t seed = 1;
  uint32_t packets = 200;
  uint32_t conversations = 3;
  uint32_t link = 1;
  TalkHabits habits;
  int64_t timeout = 64'000'000'000;  // that these are reassembled with; 0: any
  uint32_t silence_percent = 2;      // steps in time that end near the timeout
  uint32_t damage_percent = 0;       // frames that are damaged, cut, or hold no TCP
  uint32_t tunnel_percent = 0;
  uint32_t other_percent = 0;  // packets of other protocols between the same ends, of the words of habits
  bool time_runs_back = false;
};

struct StreamCase {
  StreamShape shape;
  StreamOptions options;
};

// Of a property test. The same seed gives the same case on every machine.
StreamCase stream_case(uint64_t seed);

// A pcap file, times in ns.
std::vector<uint8_t> stream_traffic(const StreamShape& shape);

}  // namespace reference
