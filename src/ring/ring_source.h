// The packets of live rings as a source: a chunk is a block of a ring, decoded where the kernel has put it.
//
// Blocks are taken from all rings in turn. Packets of one ring keep their order; those of several are in the order in
// which their blocks were taken. When it is told to stop, all that came in until then is given still.
//
// Threads: see PacketSource. Counts by any; they are exact at the end.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "capture/packet_source.h"
#include "ring/packet_ring.h"
#include "ring/ring_counts.h"

namespace warpmeter {

struct RingSourceOptions {
  PacketRingOptions ring;
  unsigned rings = 1;                                 // of each interface
  std::chrono::nanoseconds duration{0};               // of the capture; 0 = until it is told to stop
  std::function<void(const std::string& text)> warn;  // of what happens on the way
};

class RingSource : public PacketSource {
 public:
  // Captures from now on, until `stop` or for the duration, or until all interfaces are gone. Throws Error.
  RingSource(const std::vector<std::string>& interfaces, const RingSourceOptions& options,
             const std::atomic<bool>& stop);
  ~RingSource() override;

  bool ends() const override { return options_.duration.count() > 0; }
  bool repeatable() const override { return false; }

  std::string description() const;  // interfaces and rings, for people
  std::vector<RingCounts> ring_counts() const;
  std::vector<InterfaceCounts> interface_counts() const;

  // As if it had been told to stop. From any thread.
  void end() { ended_ = true; }

  // One line for each interface that disappeared.
  std::vector<std::string> gone() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct BlockChunk;
  struct Interface {
    NetworkInterface is;
    std::uint32_t lost = 0;        // as the system said last
    std::uint64_t lost_since = 0;  // the capture began
    bool gone = false;
  };
  struct Ring {
    std::unique_ptr<PacketRing> ring;
    std::size_t interface;
    std::int64_t passed_ns;  // what came before that has been taken
  };

  std::unique_ptr<Chunk> make_chunk() const override;
  bool claim(Chunk& chunk, const ChunkOptions& options) override;
  bool read(Chunk& chunk, FileView& view) override;
  bool commit(Chunk& chunk, FileView& view) override;

  void open_rings(std::size_t interface);
  bool take_block(BlockChunk& chunk);
  void wait_for_block();
  void look_after(const Ring& ring);
  void look_at_interfaces();
  bool wants_to_stop() const;
  void shut();
  bool is_drained() const;

  const RingSourceOptions options_;
  const std::atomic<bool>& stop_;
  const Clock::time_point start_;
  std::vector<Interface> interfaces_;
  std::vector<Ring> rings_;
  std::size_t turn_ = 0;  // of a ring
  Clock::time_point next_look_;
  std::atomic<bool> ended_ = false;
  bool shut_ = false;
  Clock::time_point last_wait_end_;  // once shut: when the last open block is complete
  mutable std::mutex mutex_;         // of counts and what is gone
};

}  // namespace warpmeter
