// The other direction of an inline run: frames as they come, to the interface where the first one comes in. It has a
// thread of its own, so that neither direction waits for the other.
//
// Threads: run() by one; counts() by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "packet/inject/frame_writer.h"
#include "packet/inject/tap_device.h"
#include "packet/nic/ring/packet_ring.h"

namespace warpmeter::inline command {

class InlineReturn {
 public:
  // From a TAP device, or from a ring; what is referred to must outlive it.
  InlineReturn(TapDevice& tap, FrameWriter& out) : tap_(&tap), out_(out) {}
  InlineReturn(PacketRing& ring, FrameWriter& out) : ring_(&ring), out_(out) {}

  // Until `ends`. Throws Error: there is no device any more.
  void run(const std::atomic<bool>& ends);

  std::uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }
  std::uint64_t too_long() const { return too_long_.load(std::memory_order_relaxed); }  // for its ring: dropped

 private:
  void take_from_tap();
  void take_from_ring();
  void wait() const;

  TapDevice* const tap_ = nullptr;
  PacketRing* const ring_ = nullptr;  // if there is no TAP
  FrameWriter& out_;
  std::vector<std::uint8_t> frame_ = std::vector<std::uint8_t>(kLongestFrame);
  std::vector<WholeFrame> frames_;
  std::atomic<std::uint64_t> rounds_ = 0, too_long_ = 0;

  static constexpr std::size_t kLongestFrame = 128 << 10;
};

}  // namespace warpmeter::inline command
