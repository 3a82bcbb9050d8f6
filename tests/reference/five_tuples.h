// The source paper's notion of a retransmission, kept for comparison: the sequence number of a data segment was in a
// data segment of the same Flow Key before, not long ago. Every data segment of the trace is remembered: what is too
// old is seen to be so by its number and time, so there is no forgetting that could be wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "reference_key.h"
#include "reference_options.h"

namespace reference {

class FiveTuples {
 public:
  explicit FiveTuples(const Options& options) : options_(options) {}

  // To be called for every data segment that is no duplicate, in trace order. number: among all frames of the trace.
  bool is_retransmitted(const FlowKey& key, uint32_t sequence, int64_t number, int64_t time) {
    std::vector<Sighting>& earlier = sightings_[{key, sequence}];
    const bool again = std::any_of(earlier.begin(), earlier.end(), [&](const Sighting& sighting) {
      return is_near(block_of(sighting.number), block_of(number)) && is_soon_enough(time - sighting.time);
    });
    earlier.push_back({number, time});
    return again;
  }

 private:
  struct Sighting {
    int64_t number = 0;
    int64_t time = 0;
  };

  int64_t block_of(int64_t number) const { return options_.block == 0 ? 0 : (number - 1) / options_.block; }
  static bool is_near(int64_t block, int64_t now) { return block == now || block == now - 1; }

  // A segment whose time is before that of the earlier one is never too late.
  bool is_soon_enough(int64_t after) const {
    return options_.retransmission_gap == 0 || after <= options_.retransmission_gap;
  }

  const Options& options_;
  std::map<std::pair<FlowKey, uint32_t>, std::vector<Sighting>> sightings_;
};

}  // namespace reference
