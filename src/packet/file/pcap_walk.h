// Walks pcap records, of files and of pipes: where the next one begins only its header tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "packet/file/file_view.h"
#include "packet/file/pcap_format.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

struct PcapWalk {
  std::uint64_t at;                   // the next header
  PcapFault fault = PcapFault::none;  // of the pcap record that begins there
  std::uint32_t captured = 0;         // with too_long and record_cut_short: what it claims
  std::uint64_t zeros_from = 0;  // a header of zeros before it is one of a packet without bytes; others are a fault
  std::uint64_t odd_fraction = kNone;  // the first header with a fraction below 0, or of a second and more

  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  bool is_cut_short() const { return fault == PcapFault::header_cut_short || fault == PcapFault::record_cut_short; }
};

// Walks on until a header begins at `end` or later, `frames` holds `most`, or at a fault. A fault that something is cut
// short says no more than that these bytes end; with others, from `at` on, the walk may go on; so it may behind zeros,
// once it is known that they are none up to the end. Appends the frames, which lie in the bytes.
void walk_records(const PcapFormat& format, const FileBytes& bytes, std::uint64_t end, PcapWalk& walk,
                  std::vector<Frame>& frames, std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace warpmeter::inline packet
