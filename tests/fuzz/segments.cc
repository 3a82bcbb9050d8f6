// A segment file, read to its end as a source reads it. The first byte says how it is made from the others: bit 0, its
// blocks get the right checksums; bit 1, sound facts and a trailer follow that are not in the input; bit 2, else, the
// trailer that is there gets the right checksum, and bit 3, what it says of the blocks. What comes of it
// is written to a file once more and read again: both must be the same segments.
#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fuzz/must.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/segment_trace.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Memory that a row may take here: what segments want each, times so many, is less than what is allowed.
constexpr std::uint32_t kFewRowFrames = 1 << 12;

template <class T>
T taken(const Bytes& from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}
template <class T>
void put(const T& value, Bytes& to, std::size_t at) {
  std::memcpy(to.data() + at, &value, sizeof value);
}

// Gives blocks their checksums, and tells where they end.
std::size_t mend_blocks(Bytes& file, std::size_t end, bool checksums, SegmentTrailer& trailer) {
  std::size_t at = sizeof(SegmentFileHeader);
  while (at < end && end - at >= sizeof(SegmentBlockHeader)) {
    auto header = taken<SegmentBlockHeader>(file, at);
    const std::size_t payload = at + sizeof header;
    if (header.payload_bytes > end - payload) break;
    if (checksums) header.checksum = checksum_of(header, file.data() + payload);
    put(header, file, at);
    ++trailer.blocks;
    trailer.segments += header.segments;
    trailer.blocks_checksum = chained(trailer.blocks_checksum, header.checksum);
    at = payload + header.payload_bytes;
  }
  return at;
}

void set_checksum(const Bytes& file, SegmentTrailer& trailer, std::size_t facts_end) {
  const std::uint8_t* const facts = file.data() + facts_end - trailer.facts_bytes;
  trailer.checksum = checksum_of(taken<SegmentFileHeader>(file, 0), trailer, reinterpret_cast<const char*>(facts));
}

// What is behind the blocks is not in the input.
void append_end(Bytes& file, bool checksums) {
  static const std::string facts = set_facts_json({});
  SegmentTrailer trailer;
  file.resize(mend_blocks(file, file.size(), checksums, trailer));
  file.insert(file.end(), facts.begin(), facts.end());
  trailer.facts_bytes = facts.size();
  set_checksum(file, trailer, file.size());
  file.resize(file.size() + sizeof trailer);
  put(trailer, file, file.size() - sizeof trailer);
}

void mend(Bytes& file, std::uint8_t how) {
  if (file.size() < sizeof(SegmentFileHeader)) return;
  if (how & 2) return append_end(file, how & 1);
  if (file.size() < sizeof(SegmentFileHeader) + sizeof(SegmentTrailer)) return;
  const std::size_t trailer_at = file.size() - sizeof(SegmentTrailer);
  auto trailer = taken<SegmentTrailer>(file, trailer_at);
  if (trailer.facts_bytes > trailer_at - sizeof(SegmentFileHeader)) return;
  SegmentTrailer right = trailer;
  right.blocks = right.segments = right.blocks_checksum = 0;
  mend_blocks(file, trailer_at - trailer.facts_bytes, how & 1, right);
  if (how & 8) trailer = right;
  if (how & 4) set_checksum(file, trailer, trailer_at);
  put(trailer, file, trailer_at);
}

struct OneSegment {
  FlowKey key;
  Segment segment;
  std::uint64_t frame;  // of the set
};

struct Content {
  SegmentFileHeader header;
  SetFacts facts;
  std::vector<OneSegment> segments;
  bool is_whole = false;  // else it broke off with an Error
};

void read_blocks(SegmentFile& file, Content& content) {
  static SegmentRows rows;  // its room is kept from one input to the next
  static SegmentBatch batch(1);
  static const HashSeed seed(1);
  const std::uint32_t row_frames = content.header.row_frames;
  for (SegmentFile::Block block; file.next(block);) {
    rows.begin(row_frames);
    rows.add(file, block, row_frames);
    batch.reset(0);
    DecodeCounters counters;
    rows.append_to(std::span(&batch, 1), seed, counters);
    must(batch.count == block.header.segments && counters.metered == batch.count && batch.frames == row_frames);
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const Segment& s = batch.segment[i];
      must(s.kind < 8 && s.payload_length <= s.length && s.frame < row_frames && batch.shard[i] < kShards);
      must(i == 0 || s.frame >= batch.segment[i - 1].frame);
      must(partition_of(batch.shard[i], content.header.partitions) == content.header.partition);
      content.segments.push_back({batch.key[i], s, block.header.row * row_frames + s.frame});
    }
  }
}

Content content_of(const std::uint8_t* data, std::size_t size) {
  Content content;
  try {
    SegmentFile file("f", std::make_shared<RegularFile>(data, size));
    content.header = file.header();
    content.facts = file.facts();
    if (content.header.row_frames > kFewRowFrames) return content;
    read_blocks(file, content);
    must(content.segments.size() == file.segments());
    content.is_whole = true;
  } catch (const Error& error) {
    must(std::strncmp(error.what(), "f: ", 3) == 0);
  }
  return content;
}

struct Sink : ByteSink {
  Bytes bytes;
  void write(const void* from, std::size_t count) override {
    const auto* const begin = static_cast<const std::uint8_t*>(from);
    bytes.insert(bytes.end(), begin, begin + count);
  }
};

Bytes written(const Content& content) {
  const HashSeed seed(2);
  Sink sink;
  SegmentFileWriter writer(content.header, seed, sink);
  const OneSegment* before = nullptr;
  for (const OneSegment& s : content.segments) {
    const bool behind = before && before->frame == s.frame;
    writer.add(s.key, hash_flow(s.key, seed).hash, s.segment, s.frame, behind);
    before = &s;
  }
  writer.finish(content.facts);
  return sink.bytes;
}

void compare(const Content& a, const Content& b) {
  must(b.is_whole && a.segments.size() == b.segments.size() && set_facts_json(a.facts) == set_facts_json(b.facts));
  for (std::size_t i = 0; i < a.segments.size(); ++i) {
    const OneSegment &one = a.segments[i], &other = b.segments[i];
    must(one.key == other.key && one.frame == other.frame);
    must(std::memcmp(&one.segment, &other.segment, sizeof one.segment) == 0);
  }
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  if (size < 1) return 0;
  fuzz::Bytes file(data + 1, data + size);
  fuzz::mend(file, data[0]);
  file.shrink_to_fit();
  const fuzz::Content content = fuzz::content_of(file.data(), file.size());
  if (!content.is_whole) return 0;
  const fuzz::Bytes again = fuzz::written(content);
  fuzz::compare(content, fuzz::content_of(again.data(), again.size()));
  return 0;
}
