// One file of a set, to be read or to be written. Of one that is read the facts are at hand at once; its blocks come
// one after the other, and any thread may take one in. One is written by one thread at a time.
//
// Every byte lies under a checksum: what was damaged, cut short or put together from several files is an Error that
// names the file, and never another segment.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/byte_sink.h"
#include "core/segment.h"
#include "packet/file/regular_file.h"
#include "packet/segments/block_decoder.h"
#include "packet/segments/block_encoder.h"
#include "packet/segments/segment_format.h"
#include "packet/segments/set_facts.h"

namespace warpmeter::inline packet {

// Does this regular file begin like one? False also if it cannot be read.
bool is_segment_file(const std::string& path);

// Reads one file of a set.
class SegmentFile {
 public:
  // Throws Error: cannot be opened, is none or not of this version, not complete, damaged.
  explicit SegmentFile(const std::string& path);
  SegmentFile(std::string name, std::shared_ptr<const RegularFile> file);

  const std::string& name() const { return name_; }
  const SegmentFileHeader& header() const { return header_; }
  std::uint64_t bytes() const { return file_->size(); }
  std::uint64_t segments() const { return trailer_.segments; }
  // Alike in all files of a set, and in no file of another one.
  std::uint64_t set() const { return set_; }
  SetFacts facts() const;

  // A block and where its payload is.
  struct Block {
    SegmentBlockHeader header;
    std::uint64_t payload;
  };
  // The next block; false behind the last. One thread. Throws Error.
  bool next(Block& block);

  // Any thread, with a buffer and a decoder of its own. Throws Error.
  void read(const Block& block, std::vector<std::uint8_t>& buffer, BlockDecoder& decoder) const;

  // Throws Error: a block of this row is damaged.
  [[noreturn]] void fail_in_block(std::uint64_t row, const std::string& what) const;

 private:
  void read_header();
  void read_facts();
  void read_all(void* to, std::uint64_t from, std::uint64_t bytes) const;
  [[noreturn]] void fail(const std::string& what) const;

  const std::string name_;
  const std::shared_ptr<const RegularFile> file_;
  SegmentFileHeader header_;
  SegmentTrailer trailer_;
  std::string facts_;  // JSON
  std::uint64_t set_ = 0;

  std::uint64_t at_ = sizeof(SegmentFileHeader), blocks_end_ = 0;  // of next()
  std::uint64_t blocks_ = 0, segments_ = 0, blocks_checksum_ = 0, next_row_ = 0;
};

// Writes one file of a set.
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
