// Writes one file of a set.
//
// Threads: one at a time.
#pragma once

#include <cstdint>

#include "core/byte_sink.h"
#include "core/segment.h"
#include "packet/segments/block_encoder.h"
#include "packet/segments/segment_format.h"
#include "packet/segments/set_facts.h"

namespace warpmeter::inline packet {

class SegmentFileWriter {
 public:
  // `hash_seed`: of the hashes that add() is given. The sink must outlive this. Throws what the sink throws, as do all
  // others.
  SegmentFileWriter(const SegmentFileHeader& header, const HashSeed& hash_seed, ByteSink& sink);

  // The next segment of the partition. `frame`: of the set, counted from 0. `behind`: of another segment of that frame,
  // whatever its partition.
  void add(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t frame, bool behind) {
    if (frame >= row_end_) begin_row(frame);
    encoder_.add(key, hash, segment, static_cast<std::uint32_t>(frame - row_begin_), behind);
  }

  // Hashes of segments that are added soon, and sooner.
  void prefetch(std::uint64_t hash, std::uint64_t sooner) const { encoder_.prefetch(hash, sooner); }

  // There are no more.
  void finish(const SetFacts& facts);

  std::uint64_t bytes() const { return bytes_; }  // written

 private:
  void begin_row(std::uint64_t frame);
  void write_block();
  void write(const void* bytes, std::size_t count);

  const SegmentFileHeader header_;
  ByteSink& sink_;
  BlockEncoder encoder_;
  std::uint64_t row_begin_ = 0, row_end_;  // frames
  SegmentTrailer trailer_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpmeter::inline packet
