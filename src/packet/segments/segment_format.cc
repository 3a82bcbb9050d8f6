#include "packet/segments/segment_format.h"

#include <xxhash.h>

namespace warpmeter::inline packet {

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

}  // namespace warpmeter::inline packet
