#include "packet/segments/segment_file_writer.h"

#include <string>

namespace warpmeter::inline packet {

SegmentFileWriter::SegmentFileWriter(const SegmentFileHeader& header, const HashSeed& hash_seed, ByteSink& sink)
    : header_(header), sink_(sink), encoder_(hash_seed), row_end_(header.row_frames) {
  write(&header_, sizeof header_);
}

void SegmentFileWriter::write(const void* bytes, std::size_t count) {
  sink_.write(bytes, count);
  bytes_ += count;
}

void SegmentFileWriter::begin_row(std::uint64_t frame) {
  write_block();
  row_begin_ = frame - frame % header_.row_frames;
  row_end_ = row_begin_ + header_.row_frames;
}

void SegmentFileWriter::write_block() {
  if (encoder_.empty()) return;
  const BlockEncoder::Block block = encoder_.encode(row_begin_ / header_.row_frames);
  write(&block.header, sizeof block.header);
  write(block.payload.data(), block.payload.size());
  ++trailer_.blocks;
  trailer_.blocks_checksum = chained(trailer_.blocks_checksum, block.header.checksum);
  trailer_.segments += block.header.segments;
}

void SegmentFileWriter::finish(const SetFacts& facts) {
  write_block();
  const std::string json = set_facts_json(facts);
  trailer_.facts_bytes = json.size();
  trailer_.checksum = checksum_of(header_, trailer_, json.data());
  write(json.data(), json.size());
  write(&trailer_, sizeof trailer_);
}

}  // namespace warpmeter::inline packet
