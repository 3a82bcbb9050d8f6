// Takes blocks of some rings in turn, for who meters them at once (RingReader), or as a source (RingSource). Packets of
// one ring keep their order; those of several are in the order in which their blocks were taken. When the capture is to
// stop, all that came in until then is given still.
//
// Threads: a RingReader by one at a time, several share no ring; of RingSource see PacketSource.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "packet/file/packet_source.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

struct TakenBlock {
  Ring* ring;
  RingBlock block;
};

class RingReader {
 public:
  // What is referred to must outlive it. `wake`: what else ends a wait, for poll(2); -1: nothing.
  RingReader(ObservationPoints& points, const std::vector<Ring*>& rings, int wake = -1);

  // The next block. Waits for one, but not for long: none also means that time has passed.
  std::optional<TakenBlock> take(std::chrono::milliseconds longest_wait = std::chrono::milliseconds(20));
  // The same without waiting.
  std::optional<TakenBlock> take_if_there() { return take(std::chrono::milliseconds(0)); }

  // There will be no more.
  bool is_at_end() const { return at_end_; }

  // All frames captured before this time, ns since 1970 UTC, have been given with the blocks so far;
  // FrameBlock::kNothingPassed if no ring tells.
  std::int64_t watermark_ns() const;

 private:
  using Clock = ObservationPoints::Clock;
  struct Place {
    Ring* ring;
    std::int64_t watermark_ns;
  };

  std::optional<TakenBlock> take_without_waiting();
  void wait(std::chrono::milliseconds longest) const;
  void shut();
  bool is_drained() const;

  ObservationPoints& points_;
  std::vector<Place> rings_;
  const int wake_;
  std::size_t turn_ = 0;
  bool shut_ = false;
  Clock::time_point last_is_there_;  // once shut: when the last block is complete
  bool at_end_ = false;
};

// The packets of live rings as a source: a chunk is a block of a ring, decoded where it was put.
class RingSource : public PacketSource {
 public:
  // All rings of the points, which must outlive it.
  explicit RingSource(ObservationPoints& points);
  ~RingSource() override;

  bool ends() const override { return points_.ends(); }
  bool repeatable() const override { return false; }
  std::int64_t watermark_ns() const override { return reader_.watermark_ns(); }

 private:
  struct BlockChunk;

  std::unique_ptr<Chunk> make_chunk() const override;
  bool claim(Chunk& chunk, const ChunkOptions& options) override;
  bool read(Chunk& chunk, FileView& view) override;
  bool commit(Chunk& chunk, FileView& view) override;

  ObservationPoints& points_;
  RingReader reader_;
};

}  // namespace warpmeter::inline packet
