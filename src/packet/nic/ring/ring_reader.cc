#include "packet/nic/ring/ring_reader.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {
namespace {

using std::chrono::milliseconds;

std::int64_t wall_clock_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

RingReader::RingReader(ObservationPoints& points, const std::vector<Ring*>& rings, int wake)
    : points_(points), wake_(wake) {
  for (Ring* const ring : rings) rings_.push_back({ring, ring->watermark_ns(wall_clock_ns())});
}

std::optional<TakenBlock> RingReader::take(milliseconds longest_wait) {
  points_.look_when_due();
  if (!shut_ && points_.wants_to_stop()) shut();
  const bool last_is_there = shut_ && is_drained();
  if (auto taken = take_without_waiting()) return taken;
  at_end_ = last_is_there;
  if (at_end_ || longest_wait.count() <= 0) return {};
  wait(longest_wait);
  return take_without_waiting();
}

std::optional<TakenBlock> RingReader::take_without_waiting() {
  const std::int64_t now = wall_clock_ns();  // before looking: what comes in between is not promised
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    Place& next = rings_[turn_];
    turn_ = turn_ + 1 == rings_.size() ? 0 : turn_ + 1;
    std::optional<RingBlock> block = next.ring->next();
    next.ring->looked(block);
    if (block) {
      next.watermark_ns = block->last_ns;
      return TakenBlock{next.ring, *std::move(block)};
    }
    if (next.ring->waits_for_lease()) continue;
    next.watermark_ns = next.ring->watermark_ns(now);
  }
  return {};
}

std::int64_t RingReader::watermark_ns() const {
  std::int64_t least = FrameBlock::kNothingPassed;
  for (const Place& place : rings_) {
    if (place.watermark_ns == FrameBlock::kNothingPassed) continue;
    if (least == FrameBlock::kNothingPassed || place.watermark_ns < least) least = place.watermark_ns;
  }
  return least;
}

void RingReader::wait(milliseconds longest) const {
  std::vector<pollfd> wanted;
  for (const Place& place : rings_) {
    wanted.push_back({.fd = place.ring->fd(), .events = POLLIN, .revents = 0});
    longest = std::min(longest, place.ring->pause());
  }
  wanted.push_back({.fd = wake_, .events = POLLIN, .revents = 0});
  poll(wanted.data(), wanted.size(), static_cast<int>(longest.count()));
  for (std::size_t i = 0; i < rings_.size(); ++i) {
    if (wanted[i].revents & ~POLLIN) points_.look_after(*rings_[i].ring);
  }
}

void RingReader::shut() {
  shut_ = true;
  milliseconds latest{0};
  for (const Place& place : rings_) {
    place.ring->shut();
    latest = std::max(latest, place.ring->delay());
  }
  last_is_there_ = Clock::now() + latest;
}

// What came in can be taken, block by block, without waiting.
bool RingReader::is_drained() const {
  return Clock::now() >= last_is_there_ &&
         std::ranges::none_of(rings_, [](const Place& place) { return place.ring->waits_for_lease(); });
}

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
