#include "packet/segments/segment_rows.h"

#include <functional>
#include <utility>

#include "base/merge/merge_heap.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

void SegmentRows::add(const SegmentFile& file, const SegmentFile::Block& block, std::uint64_t row_frames) {
  if (used_ == blocks_.size()) blocks_.emplace_back();
  Block& to = blocks_[used_];
  file.read(block, buffer_, to.decoder);
  to.file = &file;
  to.row = block.header.row;
  if (to.decoder.frames() > row_frames) file.fail_in_block(to.row, "frames lie beyond the last of the set");
  ++used_;
}

// Calls `take(decoder)` for the block with the next segment, until there are none: over all blocks in the order of
// their frames, so that it does not show that there are several. Segments of one frame in two blocks are of flows that
// have nothing to do with each other.
template <class Take>
void SegmentRows::each_in_order(const Take& take) {
  using Next = std::pair<std::uint32_t, std::size_t>;  // a block's next frame, and its place
  MergeHeap<Next, std::less<>> next;
  for (std::size_t i = 0; i < used_; ++i) {
    if (!blocks_[i].decoder.at_end()) next.add({blocks_[i].decoder.next_frame(), i});
  }
  Block* block = nullptr;
  try {
    while (!next.empty()) {
      block = &blocks_[next.first().second];
      do {  // the only one left, as where there is but one, is taken to its end
        take(block->decoder);
      } while (next.size() == 1 && !block->decoder.at_end());
      if (block->decoder.at_end()) {
        next.drop_first();
      } else {
        next.first().first = block->decoder.next_frame();
        next.first_changed();
      }
    }
  } catch (const Error& error) {
    block->file->fail_in_block(block->row, error.what());
  }
}

// Room and numbers for the segments, behind what is in the batches.
template <class Batch>
void SegmentRows::prepare(std::span<Batch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  first_ = batches.front().frames;
  std::size_t segments = 0;
  for (std::size_t i = 0; i < used_; ++i) {
    blocks_[i].decoder.hash_flows(hash_seed);
    segments += blocks_[i].decoder.size();
    counters.frames += blocks_[i].decoder.first_in_frames();
    counters.sharing_frame += blocks_[i].decoder.size() - blocks_[i].decoder.first_in_frames();
  }
  for (Batch& batch : batches) {
    batch.make_room(segments);
    batch.frames += static_cast<std::uint32_t>(frames_);
  }
  counters.add(counters_);
  counters.metered += segments;
}

void SegmentRows::append_to(std::span<SegmentBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  prepare(batches, hash_seed, counters);
  SegmentAppender appender(batches.front());  // the only one
  each_in_order([&](BlockDecoder& block) {
    const std::uint32_t frame = first_ + block.next_frame();
    BlockDecoder::Flow& flow = block.next_flow();
    const SegmentBatch::Place place = appender.push(flow.hash);
    place.key = flow.key;
    place.segment.frame = frame;
    block.next(flow, place.segment);
  });
}

void SegmentRows::append_to(std::span<PackedBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) {
  prepare(batches, hash_seed, counters);
  PackedAppender appender(batches);
  each_in_order([&](BlockDecoder& block) {
    KeyedSegment segment;
    segment.segment.frame = first_ + block.next_frame();
    BlockDecoder::Flow& flow = block.next_flow();
    segment.key = hashed_key(flow.key);
    block.next(flow, segment.segment);
    appender.push(segment);
  });
}

}  // namespace warpmeter::inline packet
