// Segments of one partition and one row to a block of a segment file.
//
// Threads: one. Memory: some 100 bytes a segment.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/segment.h"
#include "packet/segments/byte_planes.h"
#include "packet/segments/conversation_table.h"
#include "packet/segments/segment_columns.h"
#include "packet/segments/segment_format.h"

namespace warpmeter::inline packet {

class BlockEncoder {
 public:
  // `hash_seed`: of the hashes that add() is given.
  explicit BlockEncoder(const HashSeed& hash_seed) : conversations_(hash_seed) {}

  // The next segment, of this frame of the row, which is counted from 0 and no earlier than those before. `behind`: of
  // another segment of the frame, here or in another part. Throws Error if there are too many.
  void add(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint32_t frame, bool behind);

  // Of segments that are added soon, and sooner.
  void prefetch(std::uint64_t hash, std::uint64_t sooner) const {
    conversations_.prefetch_slot(hash);
    conversations_.prefetch_flow(sooner);
  }

  bool empty() const { return counts_.segments == 0; }

  // The block of what was added; its payload stays until the next one is encoded. Starts over.
  struct Block {
    SegmentBlockHeader header;
    std::span<const std::uint8_t> payload;
  };
  Block encode(std::uint64_t row);

 private:
  void make_room();
  void add_tcp(const Segment& segment, ForetoldSegment& foretold);
  void add_other(const Segment& segment);
  std::uint32_t divide_times();
  void clear();

  ConversationTable conversations_;
  SegmentColumns columns_;
  SegmentCounts counts_;
  std::uint32_t next_frame_ = 0;
  std::int64_t first_ns_ = 0, time_ns_ = 0;             // of the first segment, of the last
  bool by_millisecond_ = true, by_microsecond_ = true;  // all differences
  PlaneWriter planes_;
};

}  // namespace warpmeter::inline packet
