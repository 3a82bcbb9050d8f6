// Copies of a packet that a mirror port or a second tap put into the capture. The latest packet of every identity is
// remembered for the whole trace: slow in memory, but there is no forgetting that could be wrong.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "packet.h"
#include "reference_options.h"

namespace reference {

class Duplicates {
 public:
  explicit Duplicates(const Options& options) : options_(options) {}

  // To be called for every metered packet, in trace order. number: among all frames of the trace.
  bool is_duplicate(const Packet& packet, int64_t number, int64_t time) {
    if (packet.identity.empty()) return false;
    const auto [place, is_first] = latest_.try_emplace(packet.identity);
    const Sighting before = place->second;
    place->second = {number, time};
    if (is_first || number - before.number > options_.duplicate_window) return false;
    const int64_t distance = time > before.time ? time - before.time : before.time - time;
    return distance <= (packet.anonymous ? options_.duplicate_gap_anonymous : options_.duplicate_gap);
  }

 private:
  struct Sighting {
    int64_t number = 0;
    int64_t time = 0;
  };

  const Options& options_;
  std::map<std::vector<uint8_t>, Sighting> latest_;
};

}  // namespace reference
