// A ring of blocks that the kernel fills with the packets of an interface, mapped into this process: nothing is copied
// on the way, and a block goes back when the last that looks at it lets go.
//
// Source: packet(7) and the kernel's Documentation/networking/packet_mmap.rst, TPACKET_V3.
//
// Threads: one at a time. Leases may be let go from any thread, and outlive the ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ring/network_interface.h"
#include "ring/ring_counts.h"
#include "warpmeter/frame.h"

namespace warpmeter {

struct PacketRingOptions {
  std::size_t bytes = 64 << 20;  // of the ring; rounded to whole blocks, two of them at least
  bool promiscuous = true;       // also what is sent to others: a mirror port shows nothing else
  unsigned block_ms = 10;        // after that a block that is not full is handed over, too
};

// Rings with the same group share the packets of their interface: those of a conversation, in both directions, go to
// the same ring. Fragments behind the first may go to another one.
struct PacketRingShare {
  std::uint16_t group;
};

class PacketRing {
 public:
  // What lies in a block, in the order of arrival.
  struct Block {
    std::uint8_t* first = nullptr;  // what frames_of() reads next
    std::uint32_t frames = 0;       // from there on
    std::int64_t last_ns = 0;       // when the last one came
    Lease lease;
  };

  // From now on packets come in. Throws Error that says what is missing: rights, memory.
  PacketRing(const NetworkInterface& interface, unsigned number, const PacketRingOptions& options,
             std::optional<PacketRingShare> share);
  ~PacketRing();
  PacketRing(const PacketRing&) = delete;
  PacketRing& operator=(const PacketRing&) = delete;

  const NetworkInterface& interface() const { return interface_; }
  std::size_t size() const;  // bytes
  int fd() const;            // for poll(2): readable when there may be a block

  // The next block that is complete, if there is one.
  std::optional<Block> next();

  // The next block is one that somebody still looks at: the ring has been taken all around.
  bool waits_for_lease() const;

  // Adds up to `most` frames of the block, and goes on behind them. What the kernel took out of a frame, the outermost
  // VLAN tag, is put back where it was.
  void frames_of(Block& block, std::size_t most, FrameBlock& frames) const;

  // No more packets come in. What has come in is handed over within block_ms.
  void shut();

  // The error that poll(2) told of, 0 if none: ENETDOWN when the link went down, once.
  int take_error();

  // What the kernel counts is added up here; it must be asked for more often than every 2^32 packets. Exact once the
  // ring is shut and the last block was handed over.
  void update_counts();
  const RingCounts& counts() const { return counts_; }

 private:
  struct Memory;

  void open(const PacketRingOptions& options);
  void make_ring(const PacketRingOptions& options);
  void bind_to_interface(std::optional<PacketRingShare> share);
  [[noreturn]] void fail(const std::string& what) const;

  const NetworkInterface interface_;
  std::shared_ptr<Memory> memory_;
  std::size_t at_ = 0;  // block
  RingCounts counts_;
};

}  // namespace warpmeter
