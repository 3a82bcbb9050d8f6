#include "packet/segments/block_decoder.h"

#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw Error(what);
}

bool is_unit(std::uint32_t unit) { return unit == 1 || unit == 1'000 || unit == 1'000'000; }

// What no packet has would be another flow's, or nothing at all, where keys are packed.
bool makes_sense(const FlowKey& key, const HashedKey& hashed) {
  if (key.version == 6) return true;
  return key.version == 4 && hashed.source_low == 0 && hashed.destination_low == 0 && hashed.source_high >> 32 == 0 &&
         hashed.destination_high >> 32 == 0;
}

}  // namespace

void BlockDecoder::fail() { throw Error("a column makes no sense"); }

void BlockDecoder::begin(const SegmentFileHeader& file, const SegmentBlockHeader& header, const std::uint8_t* payload) {
  require(checksum_of(header, payload) == header.checksum, "its checksum is wrong");
  require(header.segments <= most_row_segments(file.row_frames) &&
              std::uint64_t{header.first_tcp} + header.next_tcp <= header.segments &&
              header.conversations <= header.segments && is_unit(header.time_unit),
          "its header makes no sense");
  counts_ = {header.segments, header.first_tcp, header.next_tcp, header.conversations};
  read_columns(payload, header.payload_bytes);
  check_frames(file);
  check_kinds();
  read_flows(file);
  unit_ = header.time_unit;
  time_ns_ = static_cast<std::uint64_t>(header.first_ns);
  at_ = first_ = next_ = other_ = 0;
  frame_ = 0;
}

void BlockDecoder::read_columns(const std::uint8_t* payload, std::size_t bytes) {
  std::size_t most = 0;
  each_column(columns_, counts_,
              [&](const auto& column, std::size_t values, Planes) { most += 2 * values * sizeof column[0]; });
  planes_.begin({payload, bytes}, most);
  each_column(columns_, counts_, [this](auto& column, std::size_t values, Planes) { planes_.read(values, column); });
  require(planes_.at_end(), "a column makes no sense");
}

// Else numbers of packets would be wrong.
void BlockDecoder::check_frames(const SegmentFileHeader& file) {
  std::uint64_t frames = counts_.segments;
  for (std::size_t i = 0; i < counts_.segments; ++i) {
    if (i > 0 && columns_.frame[i] == kSameFrame) --frames;
    else frames += columns_.frame[i];
  }
  require(frames <= file.row_frames, "frames lie beyond their row");
  frames_ = static_cast<std::uint32_t>(frames);
}

// Bits that mean nothing would mean something where segments are packed.
void BlockDecoder::check_kinds() {
  constexpr std::uint8_t kBits = kTcpSegment | kHasIdentity | kAnonymous;
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < counts_.segments; ++i) any |= columns_.kind[i];
  if (any & ~(kBits | kBehindInFrame)) fail();
  first_in_frames_ = counts_.segments;
  if (!(any & kBehindInFrame)) return;
  for (std::size_t i = 0; i < counts_.segments; ++i) {
    if (columns_.kind[i] & kBehindInFrame) --first_in_frames_;
    columns_.kind[i] &= kBits;
  }
}

void BlockDecoder::read_flows(const SegmentFileHeader& file) {
  flows_.resize(2 * counts_.conversations);
  for (std::size_t i = 0; i < counts_.conversations; ++i) {
    FlowKey key;
    for (int word = 0; word < kFlowKeyWords; ++word) set_key_word(key, word, columns_.key[word][i]);
    const HashedKey hashed = hashed_key(key);
    require(makes_sense(key, hashed), "a Flow Key makes no sense");
    require(partition_of(shard_of(hashed), file.partitions) == file.partition,
            "a Flow Key belongs to another partition");
    flows_[2 * i].key = key;
    flows_[2 * i + 1].key = swapped(key);
    flows_[2 * i].foretold = flows_[2 * i + 1].foretold = {};
  }
}

void BlockDecoder::hash_flows(const HashSeed& seed) {
  for (Flow& flow : flows_) {
    flow.hash = hash_flow(flow.key, seed);
    flow.foretold = {};
  }
}

}  // namespace warpmeter::inline packet
