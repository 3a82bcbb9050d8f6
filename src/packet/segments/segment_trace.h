// Sets of segment files as a trace: a PacketSource whose packets have been decoded already. The packets of a set are
// numbered behind all those of the sets before it, whether they are read or not.
//
// A chunk is one block, or, where all packets must come in order, the blocks of a row.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/decoded_frames.h"
#include "packet/file/packet_source.h"
#include "packet/segments/block_decoder.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/segment_sets.h"

namespace warpmeter::inline packet {

// Blocks of one row of a set, as a source gives them to the Metering Process.
//
// Threads: one at a time. Memory is used again and again.
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

class SegmentTrace : public TraceSource {
 public:
  // `stop` ends it early, and must outlive it.
  SegmentTrace(SegmentSets sets, const std::atomic<bool>& stop);

  bool ends() const override { return true; }
  bool repeatable() const override { return true; }
  std::uint64_t bytes_in_all() const override { return bytes_; }
  std::uint64_t packets_in_all() const override { return sets_.segments; }

  // When the trace ends: flows that were idle by then have ended by it, whichever partitions are read.
  std::int64_t watermark_ns() const override { return watermark_ns_; }

  TraceFindings findings() const override;

 private:
  // A file of the set that is read, and its next block.
  struct OpenFile {
    std::shared_ptr<SegmentFile> file;
    std::optional<SegmentFile::Block> next;
  };
  struct SegmentChunk : Chunk {
    struct Part {
      std::shared_ptr<const SegmentFile> file;
      SegmentFile::Block block;
      std::uint64_t row_frames;
    };
    std::vector<Part> parts;
    std::uint64_t row_frames = 0;  // if it ends the row, with those of rows that are skipped; else 0
    DecodeCounters counters;       // of the set, beside its segments, in its first chunk
    std::shared_ptr<SegmentRows> rows = std::make_shared<SegmentRows>();

    void clear() override {
      Chunk::clear();
      parts.clear();
      row_frames = 0;
      counters = {};
    }
  };

  // Of these no batch has more than once, and its other chunks have at most as many.
  static constexpr std::uint64_t kMostSkippedFrames = std::uint64_t{1} << 30;

  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<SegmentChunk>(); }
  bool claim(Chunk& chunk, const ChunkOptions& options) override;
  bool read(Chunk& chunk, FileView& view) override;
  bool commit(Chunk& chunk, FileView& view) override;

  bool open_set();
  void open_files(const SegmentSet& set);
  static void advance(OpenFile& file);
  bool take(OpenFile& file, SegmentChunk& chunk);
  std::uint64_t frames_from(std::uint64_t row) const;
  std::uint64_t next_row() const;

  const SegmentSets sets_;
  const std::atomic<bool>& stop_;
  std::uint64_t bytes_ = 0;
  std::int64_t watermark_ns_ = FrameBlock::kNothingPassed;

  // Of claim().
  std::size_t next_set_ = 0;
  std::vector<OpenFile> files_;  // of the set that is read
  std::uint64_t row_ = 0, rows_ = 0;
  std::uint64_t row_segments_ = 0;  // of the row, so far
  std::uint32_t row_frames_ = kRowFrames;
  std::uint64_t frames_ = 0;                // of the set
  std::size_t at_file_ = 0;                 // in the row
  std::optional<DecodeCounters> counters_;  // of the set, until a chunk takes them
};

}  // namespace warpmeter::inline packet
