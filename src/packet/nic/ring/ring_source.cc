#include "packet/nic/ring/ring_source.h"

#include <utility>

namespace warpmeter::inline packet {

// A block, of which `most` frames at a time are read.
struct RingSource::BlockChunk : Chunk {
  void clear() override {
    Chunk::clear();
    taken = {};
    all = 0;
    bytes = 0;
    most = 0;
  }

  TakenBlock taken = {};
  std::uint32_t all = 0;    // frames
  std::uint64_t bytes = 0;  // captured, of those that were read
  std::size_t most = 0;
};

RingSource::RingSource(ObservationPoints& points) : points_(points), reader_(points, points.rings()) {}

RingSource::~RingSource() = default;

std::unique_ptr<Chunk> RingSource::make_chunk() const { return std::make_unique<BlockChunk>(); }

bool RingSource::claim(Chunk& any_chunk, const ChunkOptions& options) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  chunk.most = options.frames;
  if (auto taken = reader_.take(options.longest_wait)) {
    chunk.taken = *std::move(taken);
    chunk.all = chunk.taken.block.frames;
    chunk.block.leases.push_back(std::move(chunk.taken.block.lease));
  }
  chunk.block.watermark_ns = reader_.watermark_ns();
  return !reader_.is_at_end();  // perhaps without frames: time has passed
}

bool RingSource::read(Chunk& any_chunk, FileView&) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  chunk.block.frames.clear();
  const bool first = !std::exchange(chunk.shown, true);
  if (chunk.taken.block.frames == 0) return first;  // without frames, too: time has passed
  chunk.taken.ring->frames_of(chunk.taken.block, chunk.most, chunk.block);
  chunk.bytes += chunk.taken.ring->measure(chunk.block.frames);
  return true;
}

bool RingSource::commit(Chunk& any_chunk, FileView&) {
  auto& chunk = static_cast<BlockChunk&>(any_chunk);
  number(chunk, chunk.all, chunk.bytes);
  return true;
}

}  // namespace warpmeter::inline packet
