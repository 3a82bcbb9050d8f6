// An inline run while it goes on: a thread for each direction, and the one that began it, which looks at the
// interfaces, tells the service manager how it does, and ends it when it is told to or a device is gone.
//
// Threads: as said at each.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/metrics/metrics_server.h"
#include "base/program/interrupt.h"
#include "base/program/service_manager.h"
#include "command/coalesce/coalesce_summary.h"
#include "command/coalesce/inline_coalescer.h"
#include "command/coalesce/inline_command.h"
#include "command/coalesce/inline_places.h"
#include "core/thread_annotations.h"
#include "packet/inject/frame_writer.h"
#include "packet/inject/tap_device.h"
#include "packet/nic/ring/interface_point.h"
#include "packet/nic/ring/packet_ring.h"

namespace warpmeter::inline command {

// The other direction: frames as they come, to the interface where the first one comes in. It has a thread of its own,
// so that neither direction waits for the other.
//
// Threads: run() by one; what it counts by any.
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

class InlineRun {
 public:
  // Listens for metrics. What is referred to must outlive it. Throws Error.
  InlineRun(InlinePlaces& places, const InlineOptions& options);

  std::string metrics_url() const;  // for people; empty: there are none

  // Until `stop`, SIGHUP, or a device is gone; at SIGUSR1 it says how far it is. One thread, once.
  void run(const std::atomic<bool>& stop, const ServiceSignals& signals);

  // From any thread: all of it, as of a moment ago, and exact once run() has returned.
  CoalesceSummary counts() const;

 private:
  using Clock = std::chrono::steady_clock;

  // An interface that is looked at.
  struct Watched {
    explicit Watched(const NetworkInterface& which)
        : interface(which), link(which.index, which.is_up), mtu(mtu_of(which)) {}
    const NetworkInterface interface;
    LinkWatch link;
    std::uint32_t mtu;
  };

  template <class Work>
  void work(Work& direction);
  void end_because(const std::string& why);
  void answer(const ServiceSignals& signals);
  void look();
  void look_at(Watched& watched);
  void look_at_mtu();
  void tell_manager();
  bool is_alive();
  double seconds() const;

  InlinePlaces& places_;
  InlineCoalescer coalescer_;
  InlineReturn back_;
  Watched in_;
  std::optional<Watched> out_;
  const ServiceManager manager_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point next_pet_{};
  unsigned seen_questions_ = 0;
  std::uint64_t seen_rounds_ = 0, seen_rounds_back_ = 0;
  std::atomic<bool> ends_ = false;
  mutable std::mutex mutex_;
  std::string why_ended_ WARPMETER_GUARDED_BY(mutex_);
  std::unique_ptr<MetricsServer> server_;  // last: it asks all the others
};

}  // namespace warpmeter::inline command
