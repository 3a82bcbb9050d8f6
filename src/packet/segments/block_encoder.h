// Segments of one partition and one row to a block of a segment file, with the table of its conversations.
//
// Threads: one. Memory: some 100 bytes a segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/flow_hash.h"
#include "core/prefetch.h"
#include "core/segment.h"
#include "packet/segments/byte_planes.h"
#include "packet/segments/segment_columns.h"
#include "packet/segments/segment_format.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

// The conversations of a block, numbered as they come, each with what is foretold of both directions.
class ConversationTable {
 public:
  // `hash_seed`: of the hashes that it is given.
  explicit ConversationTable(const HashSeed& hash_seed) : hash_seed_(hash_seed), slots_(kFewest) {}

  // The number of the flow; one that is new gets one, of its conversation if that is known. `hash`: of the key.
  std::uint32_t number_of(const FlowKey& key, std::uint64_t hash) {
    std::size_t at = find(key, hash);
    if (slots_[at].flow != kNone) return slots_[at].flow;
    return add(key, hash, at);
  }

  // Some segments before number_of() and foretold() are asked of a hash, and some less.
  void prefetch_slot(std::uint64_t hash) const { prefetch(&slots_[hash & (slots_.size() - 1)]); }
  void prefetch_flow(std::uint64_t hash) const {
    const std::uint32_t flow = slots_[hash & (slots_.size() - 1)].flow;
    if (flow != kNone) prefetch(&flows_[flow]);
  }

  ForetoldSegment& foretold(std::uint32_t flow) { return flows_[flow].foretold; }

  std::size_t size() const { return flows_.size() / 2; }  // conversations
  const FlowKey& key(std::size_t conversation) const { return flows_[2 * conversation].key; }

  void clear();

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kFewest = 1024;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t flow = kNone;
  };
  struct Flow {
    FlowKey key;
    ForetoldSegment foretold;
  };

  // Where the flow is, or would be.
  std::size_t find(const FlowKey& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].flow != kNone && (slots_[at].hash != hash || !(flows_[slots_[at].flow].key == key))) {
      at = (at + 1) & mask;
    }
    return at;
  }
  std::uint32_t add(const FlowKey& key, std::uint64_t hash, std::size_t at);
  void grow();

  const HashSeed hash_seed_;
  std::vector<Slot> slots_;  // of flows that came, at most three quarters of them used
  std::size_t used_ = 0;
  std::vector<Flow> flows_;  // by number
};

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
