#include "tcp/stream_line.h"

#include <algorithm>
#include <array>

#include "core/prefetch.h"

namespace warpmeter {
namespace {

// Segments between asking for a place in the index, for the connection that it names, for the end of that one's buffer,
// and the segment's turn.
constexpr std::size_t kStep = 8, kLine = 4 * kStep;

}  // namespace

void reassemble_listed(std::span<const std::unique_ptr<Reassembler>> shards, const PayloadBatch& batch,
                       std::span<const ListedSegment> listed) {
  std::array<const Tcb*, kLine> likely;  // a ring
  const auto ask_for_index = [&](std::size_t i) {
    if (i < listed.size()) shards[listed[i].shard]->prefetch_index(listed[i].hash);
  };
  const auto ask_for_connection = [&](std::size_t i) {
    if (i < listed.size()) likely[i % kLine] = shards[listed[i].shard]->prefetch_connection(listed[i].hash);
  };
  const auto ask_for_buffer = [&](std::size_t i) {
    if (i < listed.size() && likely[i % kLine]) prefetch(likely[i % kLine]->buffer + likely[i % kLine]->used);
  };
  for (std::size_t i = 0; i < 3 * kStep; ++i) ask_for_index(i);
  for (std::size_t i = 0; i < 2 * kStep; ++i) ask_for_connection(i);
  for (std::size_t i = 0; i < kStep; ++i) ask_for_buffer(i);
  for (std::size_t begin = 0; begin < listed.size(); begin += kStep) {
    for (std::size_t i = 0; i < kStep; ++i) ask_for_index(begin + 3 * kStep + i);
    for (std::size_t i = 0; i < kStep; ++i) ask_for_connection(begin + 2 * kStep + i);
    for (std::size_t i = 0; i < kStep; ++i) ask_for_buffer(begin + kStep + i);
    const std::size_t end = std::min(begin + kStep, listed.size());
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t at = listed[i].at;
      const Segment& s = batch.segment[at];
      shards[listed[i].shard]->take(batch.key[at], listed[i].hash, s, batch.payload[at], batch.first_number + s.frame,
                                    likely[i % kLine]);
    }
  }
}

}  // namespace warpmeter
