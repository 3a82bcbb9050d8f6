// A block of a segment file back to segments, with the keys and hashes that metering wants of them.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flow_hash.h"
#include "core/segment.h"
#include "packet/segments/byte_planes.h"
#include "packet/segments/segment_columns.h"
#include "packet/segments/segment_format.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

class BlockDecoder {
  static constexpr std::int64_t kMostTime = std::int64_t{1} << 62;  // Segment::time_ns

 public:
  // Takes the columns of a block, from which next() gives segments. `payload` is not needed any longer. Throws Error,
  // which says in a few words what is wrong, if the block is damaged or cannot be a block of this file; so does next(),
  // of one whose checksum somebody has made right.
  void begin(const SegmentFileHeader& file, const SegmentBlockHeader& header, const std::uint8_t* payload);

  std::size_t size() const { return counts_.segments; }
  // Of the row, to the last with a segment.
  std::uint32_t frames() const { return frames_; }
  // Segments that are the first of their frame in the whole set.
  std::size_t first_in_frames() const { return first_in_frames_; }

  // A flow of the block.
  struct Flow {
    FlowKey key;
    FlowHash hash;
    ForetoldSegment foretold;
  };
  // Hashes the keys. To be called once before next().
  void hash_flows(const HashSeed& seed);

  bool at_end() const { return at_ == counts_.segments; }
  // The frame of the next segment, of the row, and its flow. REQUIRES: not at the end.
  std::uint32_t next_frame() const { return frame_ + columns_.frame[at_]; }
  Flow& next_flow() {
    const std::uint32_t flow = columns_.flow[at_];
    if (flow >= flows_.size()) fail();
    return flows_[flow];
  }
  // Fills in the next segment but for `frame`. `flow`: its flow. REQUIRES: not at the end.
  void next(Flow& flow, Segment& segment);

 private:
  void read_columns(const std::uint8_t* payload, std::size_t bytes);
  [[noreturn]] static void fail();
  void check_frames(const SegmentFileHeader& file);
  void check_kinds();
  void read_flows(const SegmentFileHeader& file);
  void set_tcp(Segment& segment, ForetoldSegment& foretold);
  void set_other(Segment& segment);

  PlaneReader planes_;
  SegmentColumns columns_;
  SegmentCounts counts_;
  std::vector<Flow> flows_;
  std::uint32_t frames_ = 0;
  std::size_t first_in_frames_ = 0;
  std::uint64_t unit_ = 1;

  // Of the next segment.
  std::size_t at_ = 0, first_ = 0, next_ = 0, other_ = 0;
  std::uint32_t frame_ = 0;
  std::uint64_t time_ns_ = 0;
};

inline void BlockDecoder::set_tcp(Segment& s, ForetoldSegment& foretold) {
  const TcpColumns& from = foretold.known ? columns_.next : columns_.first;
  const std::size_t at = foretold.known ? next_++ : first_++;
  if (at >= from.sequence.size()) fail();
  TcpIdentity identity;
  identity.acknowledgement = from_zigzag(from.acknowledgement[at]) + foretold.acknowledgement;
  identity.checksum = from.checksum[at];
  identity.urgent = from.urgent[at];
  identity.options = from.options[at];
  identity.id = static_cast<std::uint16_t>(from_zigzag(from.id[at]) + foretold.id);
  identity.offset = from.offset[at] ^ foretold.offset;
  s.identity_a = identity.a();
  s.identity_b = identity.b();
  s.sequence = from_zigzag(from.sequence[at]) + foretold.sequence;
  s.length = from_zigzag(from.length[at]) + foretold.length;
  s.payload_length = s.length - tcp_header_of(identity) - (from.ip_headers[at] ^ foretold.ip_headers);
  s.window = static_cast<std::uint16_t>(from_zigzag(from.window[at]) + foretold.window);
  s.flags = from.flags[at] ^ foretold.flags;
  foretold = after(s, identity);
}

inline void BlockDecoder::set_other(Segment& s) {
  const OtherColumns& from = columns_.other;
  const std::size_t at = other_++;
  if (at >= from.sequence.size()) fail();
  s.identity_a = from.identity_a[at];
  s.identity_b = from.identity_b[at];
  s.sequence = from.sequence[at];
  s.length = from.length[at];
  s.payload_length = from.payload_length[at];
  s.window = from.window[at];
  s.flags = from.flags[at];
}

inline void BlockDecoder::next(Flow& flow, Segment& s) {
  const std::size_t at = at_++;
  frame_ += columns_.frame[at] + 1;
  time_ns_ += from_zigzag(columns_.time[at]) * unit_;
  s.time_ns = static_cast<std::int64_t>(time_ns_);
  if (s.time_ns < -kMostTime || s.time_ns > kMostTime) fail();
  s.kind = flow.foretold.kind ^= columns_.kind[at];
  if (is_tcp(s) && flow.key.protocol != kProtocolTcp) fail();
  if (is_tcp(s)) set_tcp(s, flow.foretold);
  else set_other(s);
  if (s.payload_length > s.length) fail();
}

}  // namespace warpmeter::inline packet
