// The parts of a segment file (docs/segment-files.md), as they lie on the disk: little-endian, without gaps.
//
//   header, blocks, facts of the set (JSON), trailer
//
// A set is what one `warpmeter decode` wrote: a file for each partition of the shards. Its frames are cut into rows of
// equally many; a block holds the segments of one row that belong to the partition.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/flow_hash.h"

namespace warpmeter::inline packet {

inline constexpr std::uint64_t kSegmentMagic = 0x1a0a0d4745534d57;         // "WMSEG\r\n\x1a"
inline constexpr std::uint64_t kSegmentTrailerMagic = 0x0a0d444e45534d57;  // "WMSEND\r\n"
inline constexpr std::uint16_t kSegmentVersion = 2;

// Frames in a row. More make smaller files, and take more memory where they are written and read.
inline constexpr std::uint32_t kRowFrames = 1 << 19;
// That a reader takes.
inline constexpr std::uint32_t kMostRowFrames = 1 << 20;
// Segments of a row, of all files together: most frames have one, but an A-MSDU may have many. A file of some hundred
// bytes can say that there are so many, each of a conversation of its own: the reader wants 500 bytes for each.
inline constexpr std::uint32_t kMostRowSegments = 1 << 22;
// A frame has at most 2 MiB.
inline constexpr std::uint32_t kMostFrameSegments = 1 << 16;
// In a set, that a reader takes: a few hundred bytes can say that there are so many, none of them with a segment.
inline constexpr std::uint64_t kMostSetFrames = std::uint64_t{1} << 44;

// So many a row of so many frames may have.
inline std::uint64_t most_row_segments(std::uint64_t frames) {
  return std::min<std::uint64_t>(frames * kMostFrameSegments, kMostRowSegments);
}

struct SegmentFileHeader {
  std::uint64_t magic = kSegmentMagic;
  std::uint16_t version = kSegmentVersion;
  std::uint8_t partition = 0;   // counted from 0
  std::uint8_t partitions = 1;  // of the set: a power of two, at most kShards
  std::uint32_t row_frames = kRowFrames;
};
static_assert(sizeof(SegmentFileHeader) == 16);

struct SegmentBlockHeader {
  std::uint64_t payload_bytes = 0;  // behind the header
  std::uint64_t row = 0;            // of the set, counted from 0
  std::int64_t first_ns = 0;        // of the first segment
  std::uint32_t segments = 0;
  std::uint32_t first_tcp = 0;  // of these: TCP segments that are the first of their flow in the block, others of TCP
  std::uint32_t next_tcp = 0;
  std::uint32_t conversations = 0;
  std::uint32_t time_unit = 1;  // ns, of the differences
  std::uint32_t nothing = 0;
  std::uint64_t checksum = 0;  // XXH3 of the payload, its seed that of this header with 0 here
};
static_assert(sizeof(SegmentBlockHeader) == 56);

struct SegmentTrailer {
  std::uint64_t blocks = 0;
  std::uint64_t segments = 0;
  std::uint64_t blocks_checksum = 0;  // chained(), of the checksums of all blocks
  std::uint64_t facts_bytes = 0;      // before the trailer
  std::uint64_t checksum = 0;         // XXH3 of the facts, its seed that of header and trailer with 0 here
  std::uint64_t magic = kSegmentTrailerMagic;
};
static_assert(sizeof(SegmentTrailer) == 48);

// XXH3, 64 bits.
std::uint64_t segment_checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);
std::uint64_t checksum_of(const SegmentBlockHeader& header, const std::uint8_t* payload);
std::uint64_t checksum_of(const SegmentFileHeader& header, const SegmentTrailer& trailer, const char* facts);

// Blocks come one by one, but belong together: XXH3 of a block's checksum, its seed what came of those before (of none
// 0).
std::uint64_t chained(std::uint64_t before, std::uint64_t checksum);

// Which partition a shard belongs to.
inline unsigned partition_of(unsigned shard, unsigned partitions) { return share_of(shard, partitions); }

}  // namespace warpmeter::inline packet
