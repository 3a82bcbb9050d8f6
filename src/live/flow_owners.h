// Which ring a flow belongs to: the one that saw its first packet. Cards and kernels share packets between rings by
// rules that nobody tells (RSS keys, fanout, where fragments go), so nothing is assumed of them; what they do is
// learned. Where they keep a flow to one ring, which is nearly always, its owner is the thread that reads it there.
//
// A table of places, found by the hash of a key. A place is claimed by the first that comes, and keeps its owner as
// long as packets come; once none has for the idle timeout, any flow of it would have ended, and the next one claims
// it. Flows that share a place have one owner: that is a detour for some, never a fault.
//
// Times are those of packets, as everywhere in metering. Where a clock was set back, places keep their owners.
//
// Threads: any, at once. No packet waits for another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpmeter/prefetch.h"

namespace warpmeter {

class FlowOwners {
 public:
  static constexpr unsigned kMost = 255;  // owners
  static constexpr std::size_t kPlaces = 1 << 22;

  // `places`: a power of two; 4 bytes each. `idle_ns`: the idle timeout, 0 = never.
  explicit FlowOwners(std::int64_t idle_ns, std::size_t places = kPlaces);

  void prefetch(std::uint64_t hash) const { warpmeter::prefetch(&places_[at(hash)]); }

  // The owner of the flow of a packet that was captured then and came to the ring of `self`. `hash`: of its Flow Key.
  unsigned owner_of(std::uint64_t hash, std::int64_t time_ns, unsigned self) {
    std::atomic<std::uint32_t>& place = places_[at(hash)];
    const std::uint32_t claim = claim_of(time_ns, self);
    const std::uint32_t found = place.load(std::memory_order_relaxed);
    return found == claim ? self : settle(place, found, claim);
  }

 private:
  static constexpr unsigned kOwnerBits = 8, kTickBits = 32 - kOwnerBits;
  static constexpr unsigned kTickShift = 30;  // about a second

  // Other bits than those by which a flow is found in its table.
  std::size_t at(std::uint64_t hash) const { return (hash >> 24) & mask_; }
  // {when, whose + 1}; 0: nobody's.
  static std::uint32_t claim_of(std::int64_t time_ns, unsigned self) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(time_ns) >> kTickShift << kOwnerBits) | (self + 1);
  }
  unsigned settle(std::atomic<std::uint32_t>& place, std::uint32_t found, std::uint32_t claim) const;

  const std::int32_t idle_ticks_;  // after which a place is nobody's
  const std::uint64_t mask_;
  std::vector<std::atomic<std::uint32_t>> places_;
};

}  // namespace warpmeter
