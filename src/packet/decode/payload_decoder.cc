// Batches that have what segments carry.
#include "packet/decode/append_frames.h"

namespace warpmeter::inline packet {

void Decoder::append(const FrameBlock& block, std::span<PolicyBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}
void Decoder::append(const FrameBlock& block, PacketBatch& batch, DecodeCounters& counters) const {
  SegmentBatch& segments = batch;
  if (batch.has_payload()) append_to(std::span(&batch, 1), block, counters);
  else append(block, std::span(&segments, 1), counters);
}
void Decoder::append(const FrameBlock& block, std::span<PayloadBatch> batches, DecodeCounters& counters) const {
  append_to(batches, block, counters);
}

}  // namespace warpmeter::inline packet
