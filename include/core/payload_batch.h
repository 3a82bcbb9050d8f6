// A SegmentBatch of TCP segments alone, with what they carry: for streams. Its hashes are alike for both directions of
// a connection.
//
// Threads: as SegmentBatch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/flow_hash.h"
#include "core/segment_batch.h"

namespace warpmeter {

// What was captured of a segment's payload. It points into the frame.
struct Payload {
  const std::uint8_t* data = nullptr;
  std::uint32_t captured = 0;  // bytes; at most the segment's payload_length
};

// A hash of the two ends, whichever of them sends.
inline FlowHash hash_connection(HashedKey key, const HashSeed& seed) {
  const auto ports = static_cast<std::uint32_t>(key.rest);
  const std::uint32_t turned = ports << 16 | ports >> 16;
  const bool turn = key.source_high != key.destination_high ? key.source_high > key.destination_high
                    : key.source_low != key.destination_low ? key.source_low > key.destination_low
                                                            : ports > turned;
  if (turn) {
    key = {key.destination_high, key.destination_low, key.source_high, key.source_low,
           (key.rest & ~std::uint64_t{0xffffffff}) | turned};
  }
  return hash_flow(key, seed);
}

class PayloadBatch : public SegmentBatch {
 public:
  explicit PayloadBatch(std::uint32_t most) : SegmentBatch(most), payload(most) {}

  void make_room(std::size_t more) {
    SegmentBatch::make_room(more);
    if (payload.size() < capacity) payload.resize(capacity);
  }

  UnwrittenVector<Payload> payload;  // a column as the others
};

// Appends segments and what they carry, as SegmentAppender does.
class PayloadAppender {
 public:
  explicit PayloadAppender(PayloadBatch& batch)
      : segments_(batch), payload_(batch.payload.data()), count_(batch.count) {}

  SegmentBatch::Place push(const FlowHash& h, const Payload& payload) {
    payload_[count_++] = payload;
    return segments_.push(h);
  }

 private:
  SegmentAppender segments_;
  Payload* const payload_;
  std::uint32_t count_;
};

}  // namespace warpmeter
