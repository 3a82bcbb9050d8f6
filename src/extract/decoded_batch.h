// The segments that a batch of frames was decoded to, what decoding counted of it, and what makes them (OrderedBatches
// calls it T): for one backend, or shared by several devices by their shards.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "decode/decoder.h"
#include "extract/stage_clock.h"
#include "warpmeter/counters.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

class DecodedBatch {
 public:
  using Memories = std::vector<std::pmr::memory_resource*>;

  // A share in each of these memories. What is referred to must outlive it.
  DecodedBatch(const Decoder& decoder, StageClock& clock, std::uint32_t capacity, const Memories& memories)
      : decoder_(&decoder), clock_(&clock) {
    for (std::pmr::memory_resource* memory : memories) shares.emplace_back(capacity, *memory);
  }

  void begin() {
    counters = {};
    for (SegmentBatch& share : shares) share.reset(0);
  }
  void add(const FrameBlock& block) {
    const StageClock::Scope scope(*clock_, Stage::decode);
    decoder_->append(block, shares, counters);
  }
  void finish(std::uint64_t first_number) {
    for (SegmentBatch& share : shares) share.first_number = first_number;
  }

  std::vector<SegmentBatch> shares;
  DecodeCounters counters;  // whoever consumes the batch adds them up

 protected:
  const Decoder* decoder_;
  StageClock* clock_;
};

}  // namespace warpmeter
