// The packets of live rings as a source: a chunk is a block of a ring, decoded where it was put.
//
// Threads: see PacketSource.
#pragma once

#include <memory>

#include "packet/file/packet_source.h"
#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/ring_reader.h"

namespace warpmeter::inline packet {

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
