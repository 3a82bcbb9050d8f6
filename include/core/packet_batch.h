// Packets of a live capture, decoded once for all who take them: the columns of a SegmentBatch for the Metering
// Process, and, where streams are wanted as well, TCP segments with their payload. Without them nothing is paid for
// payload.
//
// A sample of flows leaves its segments out of the columns, but not their payload: streams have all connections.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/payload_batch.h"
#include "core/segment_batch.h"

namespace warpmeter {

class PacketBatch : public SegmentBatch {
 public:
  PacketBatch(std::uint32_t most, bool has_payload)
      : SegmentBatch(most), payload(has_payload ? most : 0), has_payload_(has_payload) {}

  bool has_payload() const { return has_payload_; }
  void make_room(std::size_t more) {
    SegmentBatch::make_room(more);
    payload.make_room(more);
  }

  // Whoever takes these resets them, as soon as the frames go.
  PayloadBatch payload;

 private:
  const bool has_payload_;
};

// Appends packets for as long as it lives, as SegmentAppender does.
struct PacketAppender {
  explicit PacketAppender(PacketBatch& batch) : segments(batch), payload(batch.payload) {}

  SegmentAppender segments;
  PayloadAppender payload;
};

}  // namespace warpmeter
