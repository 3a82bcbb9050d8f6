#include "stream/reassembly/reassembler.h"

#include <algorithm>
#include <array>

#include "core/prefetch.h"

namespace warpmeter::inline stream {
namespace {

// Segments between asking for a place in the index, for the connection that it names, for where their payload will go,
// and their turn.
constexpr std::size_t kStep = 8, kLine = 4 * kStep;

// `at(i)`: which segment of the batch is the i-th of `count`.
template <class At>
class StreamPrefetch {
 public:
  StreamPrefetch(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch, std::size_t count,
                 At at)
      : shards_(shards.data()),
        segments_(batch.segment.data()),
        shard_(batch.shard.data()),
        first_number_(batch.first_number),
        count_(count),
        at_(at) {}

  void run() {
    ask_for_index(0, 3 * kStep);
    ask_for_connection(0, 2 * kStep);
    ask_for_room(0, kStep);
    for (std::size_t begin = 0; begin < count_; begin += kStep) {
      ask_for_index(begin + 3 * kStep, begin + 4 * kStep);
      ask_for_connection(begin + 2 * kStep, begin + 3 * kStep);
      ask_for_room(begin + kStep, begin + 2 * kStep);
      take(begin, begin + kStep);
    }
  }

 private:
  Reassembler& shard_of(std::size_t i) const { return *shards_[shard_[at_(i)]]; }

  void ask_for_index(std::size_t i, std::size_t end) const {
    for (end = std::min(end, count_); i < end; ++i) shard_of(i).prefetch_index(segments_[at_(i)].hash);
  }
  void ask_for_connection(std::size_t i, std::size_t end) {
    for (end = std::min(end, count_); i < end; ++i) {
      likely_[i % kLine] = shard_of(i).prefetch_connection(segments_[at_(i)].hash);
    }
  }
  void ask_for_room(std::size_t i, std::size_t end) const {
    for (end = std::min(end, count_); i < end; ++i) {
      if (likely_[i % kLine]) shard_of(i).prefetch_room(*likely_[i % kLine], segments_[at_(i)].captured);
    }
  }
  void take(std::size_t i, std::size_t end) const {
    for (end = std::min(end, count_); i < end; ++i) {
      const PayloadSegment& s = segments_[at_(i)];
      shard_of(i).take(s, first_number_ + s.frame, likely_[i % kLine]);
    }
  }

  const std::unique_ptr<Reassembler>* const shards_;
  const PayloadSegment* const segments_;
  const std::uint8_t* const shard_;
  const std::uint64_t first_number_;
  const std::size_t count_;
  const At at_;
  std::array<Tcb*, kLine> likely_;  // a ring
};

}  // namespace

void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch) {
  StreamPrefetch(shards, batch, batch.count, [](std::size_t i) { return i; }).run();
}

void reassemble(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch,
                std::span<const std::uint32_t> listed) {
  StreamPrefetch(shards, batch, listed.size(), [listed](std::size_t i) { return listed[i]; }).run();
}

}  // namespace warpmeter::inline stream
