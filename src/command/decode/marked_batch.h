// A batch of decoded frames, its segments listed by partition, and what a set says of its frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "packet/segments/segment_format.h"
#include "pipeline/batches/decoded_batch.h"

namespace warpmeter::inline command {

// Of frames, segments or not.
struct FrameMarks {
  static constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
  std::int64_t first_ns = 0;  // of the first frame, of the latest; valid if there are frames
  std::int64_t latest_ns = kEarliest;
  std::int64_t latest_segment_ns = kEarliest;  // valid if there are segments
  bool any = false;
  std::set<std::uint16_t> links;  // LINKTYPE numbers

  void add(const FrameBlock& block) {
    if (block.frames.empty()) return;
    if (!std::exchange(any, true)) first_ns = block.frames.front().time_ns;
    std::uint16_t link = block.frames.front().link;
    links.insert(link);
    for (const Frame& frame : block.frames) {
      latest_ns = std::max(latest_ns, frame.time_ns);
      if (frame.link != link) links.insert(link = frame.link);
    }
  }
  // Those of the frames that follow.
  void add(const FrameMarks& next) {
    if (!next.any) return;
    if (!std::exchange(any, true)) first_ns = next.first_ns;
    latest_ns = std::max(latest_ns, next.latest_ns);
    latest_segment_ns = std::max(latest_segment_ns, next.latest_segment_ns);
    links.insert(next.links.begin(), next.links.end());
  }
};

class MarkedBatch : public DecodedBatch<SegmentBatch> {
 public:
  MarkedBatch(const Decoder& decoder, StageClock& clock, std::vector<SegmentBatch> shares_, unsigned partitions)
      : DecodedBatch(decoder, clock, std::move(shares_)), partitions_(partitions) {}

  void begin() {
    DecodedBatch::begin();
    marks = {};
  }
  void add(const FrameBlock& block) {
    DecodedBatch::add(block);
    marks.add(block);
  }
  void finish(std::uint64_t first_number) {
    DecodedBatch::finish(first_number);
    SegmentBatch& batch = shares.front();
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      batch.shard[i] = static_cast<std::uint8_t>(partition_of(batch.shard[i], partitions_));
    }
    batch.list_by_shard();
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      marks.latest_segment_ns = std::max(marks.latest_segment_ns, batch.segment[i].time_ns);
    }
  }

  // The segments of a partition, in arrival order.
  std::span<const ListedSegment> of_partition(unsigned partition) const {
    return shares.front().of_shards(partition, partition + 1);
  }

  FrameMarks marks;

 private:
  unsigned partitions_;
};

}  // namespace warpmeter::inline command
