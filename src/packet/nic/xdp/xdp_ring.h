// The frames of one RX queue by AF_XDP: the driver's, before the kernel makes packets of them. Frames are decoded where
// they were put; only one that is longer than a chunk is put together elsewhere.
//
// What it takes, the host does not get.
//
// Threads: see Ring.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "packet/nic/ring/network_interface.h"
#include "packet/nic/ring/ring.h"
#include "packet/nic/xdp/capture_program.h"
#include "packet/nic/xdp/xdp_socket.h"

namespace warpmeter::inline packet {

struct XdpRingPlace {
  unsigned queue = 0;             // of the interface: also the ring's number
  std::size_t bytes = 64 << 20;   // of memory for frames; rounded to chunks, a power of 2 of them, 64 at least
  std::size_t longest_frame = 0;  // bytes: what does not fit into a chunk comes in several
  std::chrono::milliseconds most_pause{1};  // where few frames come, between two looks
  // Who waits is woken when many come: for queue 0 alone. Else the pause is shorter where there is little memory.
  bool wakes = false;
};

class XdpRing : public Ring {
 public:
  // Frames come in once `program` is attached. Throws std::system_error, see XdpSocket.
  XdpRing(const NetworkInterface& interface, const XdpRingPlace& place, std::shared_ptr<CaptureProgram> program);
  ~XdpRing() override;

  bool is_zero_copy() const { return socket_.is_zero_copy(); }

  std::size_t size() const override;
  // While frames come often nobody is woken by each, since that costs more than they do: they are looked at after a
  // pause, as long as a thousand take to come, but no longer than `most_pause`, and no later than a quarter of the
  // memory is full; where nobody can be woken, no longer than the memory has room for.
  int fd() const override;
  std::chrono::milliseconds pause() const override;
  std::optional<RingBlock> next() override;
  // Those whose driver had no room for the mark have the time of next().
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override;
  bool waits_for_lease() const override;
  std::chrono::milliseconds delay() const override;
  void shut() override;
  // To be asked about once a second: `times_full` is how often something had been lost since.
  void update_counts() override;
  RingCounts counts() const override;
  std::optional<double> fill() const override;

 private:
  struct Block;
  struct Memory;

  bool is_worth_taking(std::uint32_t available);
  void pause_for(std::uint32_t frames, std::int64_t came_in_ns);
  void take_back();
  Block& free_block();
  std::uint32_t copy_descriptors(Block& block);

  const NetworkInterface interface_;
  const unsigned queue_;
  const std::shared_ptr<CaptureProgram> program_;
  const std::shared_ptr<Memory> memory_;
  XdpSocket socket_;
  std::atomic<std::size_t> held_ = 0;  // chunks in blocks that were given out
  const std::uint32_t most_;
  const std::uint32_t most_untaken_;             // frames, before who waits is woken
  const std::uint32_t worth_taking_;             // frames
  const bool wakes_;                             // who waits, by the program
  const std::int64_t most_pause_;                // ns
  std::int64_t pause_;                           // ns
  std::int64_t last_taken_ = 0, last_busy_ = 0;  // CLOCK_MONOTONIC
  bool is_busy_ = false, is_shut_ = false;
  std::atomic<std::uint64_t> received_ = 0, ring_full_ = 0, times_full_ = 0, too_long_ = 0;
};

}  // namespace warpmeter::inline packet
