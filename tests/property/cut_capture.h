// A pcap file cut into several.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "property/in_process.h"
#include "reference/reference_random.h"

namespace warpmeter::test {

inline std::vector<std::size_t> record_starts(const std::vector<std::uint8_t>& pcap, bool big_endian) {
  constexpr std::size_t kFileHeader = 24, kRecordHeader = 16;
  std::vector<std::size_t> starts;
  for (std::size_t at = kFileHeader; at + kRecordHeader <= pcap.size();) {
    starts.push_back(at);
    std::size_t captured = 0;
    for (std::size_t i = 0; i < 4; ++i) captured = captured << 8 | pcap[at + 8 + (big_endian ? i : 3 - i)];
    at += kRecordHeader + captured;
  }
  return starts;
}

// Three captures that hold the packets of one, in order; some may hold none.
inline Captures cut_in_three(const std::vector<std::uint8_t>& pcap, bool big_endian, std::uint64_t seed) {
  constexpr std::ptrdiff_t kFileHeader = 24;
  reference::Random random(seed);
  std::vector<std::size_t> starts = record_starts(pcap, big_endian);
  starts.push_back(pcap.size());
  std::vector<std::size_t> cuts = {starts.front(), random.pick(starts), random.pick(starts), pcap.size()};
  std::sort(cuts.begin(), cuts.end());
  Captures parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    std::vector<std::uint8_t> part(pcap.begin(), pcap.begin() + kFileHeader);
    part.insert(part.end(), pcap.begin() + static_cast<std::ptrdiff_t>(cuts[i]),
                pcap.begin() + static_cast<std::ptrdiff_t>(cuts[i + 1]));
    parts.push_back(part);
  }
  return parts;
}

}  // namespace warpmeter::test
