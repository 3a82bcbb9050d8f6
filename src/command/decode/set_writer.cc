#include "command/decode/set_writer.h"

#include <fmt/format.h>

#include "base/threads/in_threads.h"

namespace warpmeter::inline command {
namespace {

// Segments ahead: far enough to hide a cache miss.
constexpr std::size_t kSoon = 8, kSooner = 4;

}  // namespace

SetWriter::SetWriter(const std::string& folder, const SegmentFileHeader& header, const HashSeed& hash_seed) {
  SegmentFileHeader one = header;
  for (unsigned p = 0; p < header.partitions; ++p) {
    one.partition = static_cast<std::uint8_t>(p);
    const std::string name = fmt::format("{}/part-{:02}-of-{:02}.segments", folder, p + 1, header.partitions);
    files_.push_back(std::make_unique<File>(name, one, hash_seed));
  }
}

void SetWriter::add(unsigned partition, const MarkedBatch& marked) {
  const SegmentBatch& batch = marked.shares.front();
  SegmentFileWriter& writer = files_[partition]->writer;
  const std::uint64_t first = batch.first_number - 1;
  const auto all = marked.of_partition(partition);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + kSoon < all.size()) writer.prefetch(all[i + kSoon].hash, all[i + kSooner].hash);
    const ListedSegment& listed = all[i];
    const Segment& segment = batch.segment[listed.at];
    const bool behind = listed.at > 0 && batch.segment[listed.at - 1].frame == segment.frame;
    writer.add(batch.key[listed.at], listed.hash, segment, first + segment.frame, behind);
  }
}

void SetWriter::finish(const SetFacts& facts, unsigned threads) {
  for_each_index(files_.size(), threads, [&](std::size_t i) {
    files_[i]->writer.finish(facts);
    files_[i]->file.commit();
  });
}

std::uint64_t SetWriter::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& file : files_) bytes += file->writer.bytes();
  return bytes;
}

}  // namespace warpmeter::inline command
