// What a capture from several rings meters of a trace: the frames of a ring in their order, but rings in blocks, some
// of them late, so that between rings time runs back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "capture.h"
#include "pcap_writer.h"
#include "reference_random.h"

namespace reference {

// `shape`: of the capture, which no damage ends. A block is closed when it has its frames, or it is left open, and
// comes up to `most_late` frames of the trace after that.
inline std::vector<uint8_t> over_rings(std::span<const uint8_t> capture, const TrafficShape& shape, size_t rings,
                                       size_t most_late, Random& random) {
  struct Block {
    size_t comes_at = 0;  // frames of the trace
    std::vector<Frame> frames;
  };
  std::vector<Block> closed, open(rings);
  std::vector<size_t> last(rings);
  size_t at = 0, ring = 0;
  const auto close = [&](size_t one) {
    last[one] = open[one].comes_at = std::max(last[one], at + random.below(most_late + 1));
    closed.push_back(std::move(open[one]));
    open[one] = {};
  };
  for (const Frame& frame : read_capture(capture).frames) {
    if (!random.percent(40)) ring = random.below(rings);
    open[ring].frames.push_back(frame);
    ++at;
    if (random.percent(30)) close(random.below(rings));
  }
  for (size_t one = 0; one < rings; ++one) close(one);
  std::ranges::stable_sort(closed, {}, &Block::comes_at);
  PcapWriter pcap(shape);
  for (const Block& block : closed) {
    for (const Frame& frame : block.frames)
      pcap.frame(frame.time, frame.bytes.slice(0, frame.bytes.size()), static_cast<uint32_t>(frame.original));
  }
  return pcap.file();
}

}  // namespace reference
