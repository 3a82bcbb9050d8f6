// Blocks of one row of a set, as a source gives them to the Metering Process.
//
// Threads: one at a time. Memory is used again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/decoded_frames.h"
#include "packet/segments/block_decoder.h"
#include "packet/segments/segment_file.h"

namespace warpmeter::inline packet {

class SegmentRows : public DecodedFrames {
 public:
  // Starts over. `frames`: so many numbers further are the packets that follow; of a row behind its last block, else 0.
  void begin(std::uint64_t frames) {
    frames_ = frames;
    used_ = 0;
    counters_ = {};
  }

  // Decoding had counted these, beside the segments and their frames.
  void count(const DecodeCounters& counters) { counters_ = counters; }

  // Reads a block of a row of so many frames. The file must stay until it was appended. Throws Error, as does that.
  void add(const SegmentFile& file, const SegmentFile::Block& block, std::uint64_t row_frames);

  void append_to(std::span<SegmentBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) override;
  void append_to(std::span<PackedBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) override;

 private:
  template <class Batch>
  void prepare(std::span<Batch> batches, const HashSeed& hash_seed, DecodeCounters& counters);
  template <class Take>
  void each_in_order(const Take& take);

  std::uint64_t frames_ = 0;
  std::uint32_t first_ = 0;  // place of the row's first frame in the batch
  struct Block {
    BlockDecoder decoder;
    const SegmentFile* file = nullptr;
    std::uint64_t row = 0;
  };
  std::deque<Block> blocks_;  // of which so many are in use
  std::size_t used_ = 0;
  DecodeCounters counters_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace warpmeter::inline packet
