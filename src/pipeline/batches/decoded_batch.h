// The segments that a batch of frames was decoded to, what decoding counted of it, and what makes them (OrderedBatches
// calls it T): for the CPU, or shared by several devices by their shards.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "packet/decode/decoder.h"
#include "pipeline/batches/stage_clock.h"

namespace warpmeter::inline pipeline {

// `Batch`: SegmentBatch, or another that Decoder appends to.
template <class Batch>
class DecodedBatch {
 public:
  // The segments are shared by `shares_`, by their shards. What is referred to must outlive it.
  DecodedBatch(const Decoder& decoder, StageClock& clock, std::vector<Batch> shares_)
      : shares(std::move(shares_)), decoder_(&decoder), clock_(&clock) {}

  void begin() {
    counters = {};
    watermark_ns = FrameBlock::kNothingPassed;
    for (Batch& share : shares) share.reset(0);
  }
  void add(const FrameBlock& block) {
    const StageClock::Scope scope(*clock_, Stage::decode);
    decoder_->append(block, shares, counters);
    watermark_ns = block.watermark_ns;
  }
  void finish(std::uint64_t first_number) {
    for (Batch& share : shares) share.first_number = first_number;
  }

  std::vector<Batch> shares;
  DecodeCounters counters;                                 // whoever consumes the batch adds them up
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;  // of the last block

 protected:
  const Decoder* decoder_;
  StageClock* clock_;
};

// The same, whose frames stay until it begins anew, and with them what its segments carry. REQUIRES: chunks keep them
// (ChunkOptions::keep).
template <class Batch>
class LeasedBatch : public DecodedBatch<Batch> {
 public:
  using DecodedBatch<Batch>::DecodedBatch;

  void begin() {
    DecodedBatch<Batch>::begin();
    leases_.clear();
  }
  void add(const FrameBlock& block) {
    DecodedBatch<Batch>::add(block);
    for (const Lease& lease : block.leases) {
      if (leases_.empty() || leases_.back() != lease) leases_.push_back(lease);
    }
  }

  const std::vector<Lease>& leases() const { return leases_; }

 private:
  std::vector<Lease> leases_;
};

// Of a DecodedBatch whose segments, at most so many, nobody shares. Made where it stays: a copy would be written.
template <class Batch>
std::vector<Batch> one_share(std::uint32_t most) {
  std::vector<Batch> shares;
  shares.emplace_back(most);
  return shares;
}

}  // namespace warpmeter::inline pipeline
