#include "packet/decode/append_frames.h"

namespace warpmeter::inline packet {

void Decoder::append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}
void Decoder::append(const FrameBlock& block, std::span<PackedBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}

bool Decoder::is_filtered_out(const Frame& frame) const {
  return options_.filter && frame.link != kUnknownLink && !options_.filter->matches(frame);
}

}  // namespace warpmeter::inline packet
