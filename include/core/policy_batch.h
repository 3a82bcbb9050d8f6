// Packets for the Metering Process and for policies: the columns of a SegmentBatch, and beside each segment what it
// carries. Its shards leave VLAN ids out: a connection has none.
//
// Threads: as SegmentBatch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/payload_batch.h"
#include "core/segment_batch.h"
#include "core/unwritten_vector.h"

namespace warpmeter {

struct PacketPayload {
  const std::uint8_t* data;      // as long as the frame; of TCP and UDP what is behind their header
  std::uint32_t captured;        // bytes of it
  std::uint32_t payload_length;  // by the IP header
  std::uint16_t vlan;            // outermost id, 0: none
  std::uint16_t in_frame;        // packets of its frame before it
};

class PolicyBatch : public SegmentBatch {
 public:
  explicit PolicyBatch(std::uint32_t most) : SegmentBatch(most), payload(most) {}

  void make_room(std::size_t more) {
    SegmentBatch::make_room(more);
    if (payload.size() < capacity) payload.resize(capacity);
  }

  UnwrittenVector<PacketPayload> payload;
};

// The segment at this place, for streams. REQUIRES: is_tcp(). It points to the batch and to what that points to.
inline void set_payload_segment(const PolicyBatch& batch, std::uint32_t at, const HashSeed& seed, PayloadSegment& s) {
  const FlowKey& key = batch.key[at];
  const Segment& segment = batch.segment[at];
  const PacketPayload& payload = batch.payload[at];
  s.version = key.version;
  if (key.version == 4)
    s.addresses4 = load<std::uint32_t>(key.source) | std::uint64_t{load<std::uint32_t>(key.destination)} << 32;
  else s.addresses6 = key.source;  // the destination lies behind it
  s.ports = load<std::uint32_t>(key.source_port);
  s.hash = hash_ends(s, seed);
  s.data = payload.data;
  s.time_ns = segment.time_ns;
  s.sequence = segment.sequence;
  s.acknowledged = acknowledgement(segment);
  s.payload_length = payload.payload_length;
  s.captured = payload.captured;
  s.frame = segment.frame;
  s.flags = segment.flags;
  s.in_frame = payload.in_frame;
}
inline PayloadSegment payload_segment(const PolicyBatch& batch, std::uint32_t at, const HashSeed& seed) {
  PayloadSegment s;
  set_payload_segment(batch, at, seed, s);
  return s;
}

// Appends packets for as long as it lives, as SegmentAppender does.
struct PolicyAppender {
  explicit PolicyAppender(PolicyBatch& batch) : segments(batch), next(batch.payload.data() + batch.count) {}

  SegmentAppender segments;
  PacketPayload* next;
  std::uint16_t vlan = 0;  // of the next packet
};

}  // namespace warpmeter
