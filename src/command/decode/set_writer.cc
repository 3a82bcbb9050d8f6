#include "command/decode/set_writer.h"

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <thread>

namespace warpmeter::inline command {
namespace {

// Segments ahead: far enough to hide a cache miss.
constexpr std::size_t kSoon = 8, kSooner = 4;

// Calls `finish(i)` for each i below `count`, by several threads. Throws the first exception.
template <class Finish>
void finish_all(std::size_t count, unsigned threads, const Finish& finish) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex mutex;
  const auto some = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) finish(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back(some);
    some();
  }
  if (failure) std::rethrow_exception(failure);
}

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
  finish_all(files_.size(), threads, [&](std::size_t i) {
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
