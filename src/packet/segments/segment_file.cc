#include "packet/segments/segment_file.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/files/found_file.h"
#include "packet/file/byte_source.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

static_assert(std::endian::native == std::endian::little, "segment files are little-endian");

std::shared_ptr<const RegularFile> open_file(const std::string& path) {
  Descriptor file = open_input(path);
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) throw Error(path + ": " + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw Error(path + ": segments are read from files only");
  return std::make_shared<RegularFile>(std::move(file), static_cast<std::uint64_t>(status.st_size), path);
}

}  // namespace

std::uint64_t segment_checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

std::uint64_t checksum_of(const SegmentBlockHeader& header, const std::uint8_t* payload) {
  SegmentBlockHeader without = header;
  without.checksum = 0;
  return segment_checksum(payload, header.payload_bytes, segment_checksum(&without, sizeof without));
}

std::uint64_t checksum_of(const SegmentFileHeader& header, const SegmentTrailer& trailer, const char* facts) {
  SegmentTrailer without = trailer;
  without.checksum = 0;
  const std::uint64_t seed = segment_checksum(&without, sizeof without, segment_checksum(&header, sizeof header));
  return segment_checksum(facts, trailer.facts_bytes, seed);
}

std::uint64_t chained(std::uint64_t before, std::uint64_t checksum) {
  return segment_checksum(&checksum, sizeof checksum, before);
}

bool is_segment_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  Descriptor file;
  try {
    file = open_input(path);
  } catch (const Error&) {  // who reads it says so
  }
  if (!file) return false;
  std::uint64_t magic = 0;
  return pread(file.get(), &magic, sizeof magic, 0) == sizeof magic && magic == kSegmentMagic;
}

SegmentFile::SegmentFile(const std::string& path) : SegmentFile(path, open_file(path)) {}

SegmentFile::SegmentFile(std::string name, std::shared_ptr<const RegularFile> file)
    : name_(std::move(name)), file_(std::move(file)) {
  read_header();
  read_facts();
}

void SegmentFile::fail(const std::string& what) const { throw Error(name_ + ": segment file is damaged: " + what); }

void SegmentFile::read_all(void* to, std::uint64_t from, std::uint64_t bytes) const {
  if (file_->read(static_cast<std::uint8_t*>(to), from, from + bytes) == bytes) return;
  if (const int error = file_->error()) throw ReadError(read_error_text(name_, error, from));
  const std::string problem = file_->problem();
  fail(problem.empty() ? "cut short" : problem);
}

void SegmentFile::read_header() {
  if (file_->size() < sizeof header_ + sizeof trailer_) fail("cut short");
  read_all(&header_, 0, sizeof header_);
  if (header_.magic != kSegmentMagic) throw Error(name_ + ": not a segment file");
  if (header_.version != kSegmentVersion) {
    throw Error(name_ + ": segment file of version " + std::to_string(header_.version) +
                (header_.version < kSegmentVersion ? ", which is too old: decode its captures again"
                                                   : ", which is not known: of a newer warpmeter"));
  }
  const bool good = header_.row_frames > 0 && header_.row_frames <= kMostRowFrames &&
                    std::has_single_bit(header_.partitions) && header_.partitions <= kShards &&
                    header_.partition < header_.partitions;
  if (!good) fail("its header makes no sense");
}

void SegmentFile::read_facts() {
  const std::uint64_t trailer_at = file_->size() - sizeof trailer_;
  read_all(&trailer_, trailer_at, sizeof trailer_);
  if (trailer_.magic != kSegmentTrailerMagic) fail("cut short");
  if (trailer_.facts_bytes > trailer_at - sizeof header_) fail("its trailer makes no sense");
  blocks_end_ = trailer_at - trailer_.facts_bytes;
  facts_.resize(trailer_.facts_bytes);
  read_all(facts_.data(), blocks_end_, facts_.size());
  if (checksum_of(header_, trailer_, facts_.data()) != trailer_.checksum) fail("the checksum of its facts is wrong");
  set_ = segment_checksum(facts_.data(), facts_.size(), std::uint64_t{header_.partitions} << 32 | header_.row_frames);
}

SetFacts SegmentFile::facts() const {
  try {
    return parse_set_facts(facts_);
  } catch (const Error& error) {
    fail(error.what());
  }
}

bool SegmentFile::next(Block& block) {
  if (at_ == blocks_end_) {
    if (blocks_ != trailer_.blocks || segments_ != trailer_.segments) fail("blocks are missing");
    if (blocks_checksum_ != trailer_.blocks_checksum) fail("it holds blocks of another file");
    return false;
  }
  if (blocks_end_ - at_ < sizeof block.header) fail("a block is cut short");
  read_all(&block.header, at_, sizeof block.header);
  block.payload = at_ + sizeof block.header;
  if (block.header.payload_bytes > blocks_end_ - block.payload) fail("a block is cut short");
  const bool good = block.header.row >= next_row_ && block.header.row <= kMostSetFrames / header_.row_frames &&
                    block.header.segments > 0;
  if (!good) fail("the header of a block makes no sense");
  at_ = block.payload + block.header.payload_bytes;
  ++blocks_;
  blocks_checksum_ = chained(blocks_checksum_, block.header.checksum);
  segments_ += block.header.segments;
  next_row_ = block.header.row + 1;
  return true;
}

void SegmentFile::read(const Block& block, std::vector<std::uint8_t>& buffer, BlockDecoder& decoder) const {
  buffer.resize(block.header.payload_bytes);
  read_all(buffer.data(), block.payload, buffer.size());
  try {
    decoder.begin(header_, block.header, buffer.data());
  } catch (const Error& error) {
    fail_in_block(block.header.row, error.what());
  }
}

void SegmentFile::fail_in_block(std::uint64_t row, const std::string& what) const {
  fail("block of row " + std::to_string(row) + ": " + what);
}

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
