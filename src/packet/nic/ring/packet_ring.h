// A ring of blocks that the kernel fills with the packets of an interface, by AF_PACKET; or of all interfaces, of which
// those that a pattern matches are given.
//
// Source: packet(7) and the kernel's Documentation/networking/packet_mmap.rst, TPACKET_V3.
//
// Threads: see Ring.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/filter_program.h"
#include "packet/nic/cpus/affinity.h"
#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/packet_header.h"
#include "packet/nic/ring/ring.h"

namespace warpmeter::inline packet {

class FollowedInterfaces;
class KernelFilter;

// How the kernel shares the packets of an interface between several rings (packet(7), PACKET_FANOUT).
enum class Fanout : std::uint8_t {
  automatic,  // queue where the card's RSS lets both directions of a conversation meet, else hash; asked by who opens
  hash,       // of addresses and ports, alike for both directions: computed for each packet
  queue,      // the RX queue that the card chose, modulo the number of rings: costs nothing
  cpu,        // that handled the packet, likewise
};

struct PacketRingOptions {
  std::size_t bytes = 64 << 20;  // of the ring; rounded to whole blocks, two of them at least
  bool promiscuous = true;       // also what is sent to others: a mirror port shows nothing else
  unsigned block_ms = 10;        // after that a block that is not full is handed over, too
  CpuList cpus = {};             // ring i is made on the one at i modulo their number, so its memory is near; none: any
  Fanout fanout = Fanout::hash;  // of several rings
  FilterOfLink filter = {};      // asked in the kernel where it can be; none: all packets
  bool whole = false;            // for who forwards them: frames as they came, and none that is sent from here
};

// Rings with the same group share the packets of their interface. By hash those of a conversation, in both directions,
// go to the same ring; fragments behind the first may go to another one.
struct PacketRingShare {
  std::uint16_t group;
  Fanout by = Fanout::hash;
};

class PacketRing : public Ring {
 public:
  // From now on packets come in. Throws Error that says what is missing: rights, memory.
  PacketRing(const NetworkInterface& interface, unsigned number, const PacketRingOptions& options,
             std::optional<PacketRingShare> share);
  // Of all interfaces of the namespace; those of `followed` are given. Whoever reads it asks
  // the filter as well: in the kernel it is asked of Ethernet alone.
  PacketRing(std::shared_ptr<FollowedInterfaces> followed, unsigned number, const PacketRingOptions& options,
             std::optional<PacketRingShare> share);
  ~PacketRing() override;

  const NetworkInterface& interface() const { return interface_; }

  std::size_t size() const override;
  int fd() const override;
  std::optional<RingBlock> next() override;
  bool waits_for_lease() const override;
  std::chrono::milliseconds delay() const override;
  // What the kernel took out of a frame, the outermost VLAN tag, is put back where it was.
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override;
  // Likewise, but nothing is cut, and with what the kernel says of each. REQUIRES: the options say `whole`.
  void whole_frames_of(RingBlock& block, std::size_t most, std::vector<WholeFrame>& frames) const;
  // Where the kernel tells the size of segments: Linux 6.2, and no SCTP on this host.
  bool cuts() const override { return cuts_; }
  bool filters() const override { return filter_ && !followed_; }
  // Frames of Ethernet at least have passed the filter in the kernel.
  bool filters_ethernet() const { return filter_ != nullptr; }
  void shut() override;
  int take_error() override;
  // What the kernel counts is added up here; it must be asked for more often than every 2^32 packets.
  void update_counts() override;
  RingCounts counts() const override;
  std::optional<double> fill() const override;

 private:
  struct Memory;

  void open(const PacketRingOptions& options);
  void attach_filter(const FilterOfLink& filter);
  void attach_filter_of_ethernet(const FilterOfLink& filter);
  std::uint32_t leave_out_others(std::size_t block);
  std::uint32_t prepare_cuts(std::size_t block);
  void count_long_frames(std::size_t block);
  Frame frame_at(std::uint8_t* header) const;
  std::uint32_t give_segments(RingBlock& block, std::size_t most, FrameBlock& frames) const;
  void make_ring(const PacketRingOptions& options);
  void bind_to_interface(std::optional<PacketRingShare> share);
  [[noreturn]] void fail(const std::string& what) const;

  const NetworkInterface interface_;                    // without a number where all are captured
  const std::shared_ptr<FollowedInterfaces> followed_;  // null: one is
  const unsigned number_;
  const std::chrono::milliseconds block_time_;
  std::shared_ptr<Memory> memory_;
  std::unique_ptr<KernelFilter> filter_;
  bool cuts_ = false;
  bool has_long_ = false;  // the latest block, of several interfaces
  std::size_t at_ = 0;     // block
  std::atomic<std::uint64_t> received_ = 0, cut_ = 0, others_ = 0, refused_ = 0, ring_full_ = 0, times_full_ = 0;
};

}  // namespace warpmeter::inline packet
