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
#include <memory_resource>
#include <span>
#include <vector>

#include "core/prefetch.h"
#include "flow/meter/huge_pages.h"

namespace warpmeter::inline command {

class FlowOwners {
 public:
  static constexpr unsigned kMost = 255;  // owners
  static constexpr std::size_t kPlaces = 1 << 22;
  // One owner has no need of them.
  static std::size_t places_of(unsigned owners) { return owners > 1 ? kPlaces : 1; }

  // `places`: a power of two; 4 bytes each. `idle_ns`: the idle timeout, 0 = never.
  explicit FlowOwners(std::int64_t idle_ns, std::size_t places = kPlaces);

  // A packet that was captured then came to the ring of `self`. Good for all packets of a batch.
  using Claim = std::uint32_t;
  Claim claim_of(std::int64_t time_ns, unsigned self) const {
    return static_cast<Claim>(static_cast<std::uint64_t>(time_ns) >> tick_shift_ << kOwnerBits) | (self + 1);
  }

  // The places of these will be looked at.
  void prefetch(std::span<const std::uint64_t> hashes) const {
    for (const std::uint64_t hash : hashes) warpmeter::prefetch(&places_[at(hash)]);
  }

  // Do the flows of all these belong to `self`? False also where that has to be settled, one by one. `hashes`: of their
  // Flow Keys.
  bool are_own(std::span<const std::uint64_t> hashes, Claim claim) const {
    Claim different = 0;
    for (const std::uint64_t hash : hashes) different |= places_[at(hash)].load(std::memory_order_relaxed) ^ claim;
    return different == 0;
  }

  // The owner of the flow of a packet.
  unsigned owner_of(std::uint64_t hash, Claim claim) {
    std::atomic<Claim>& place = places_[at(hash)];
    const Claim found = place.load(std::memory_order_relaxed);
    return found == claim ? owner_in(claim) : settle(place, found, claim);
  }

 private:
  static constexpr unsigned kOwnerBits = 8;

  static unsigned owner_in(Claim claim) { return (claim & ((1u << kOwnerBits) - 1)) - 1; }
  unsigned settle(std::atomic<Claim>& place, Claim found, Claim claim) const;
  // Other bits than those by which a flow is found in its table.
  std::size_t at(std::uint64_t hash) const { return (hash >> 24) & mask_; }

  const unsigned tick_shift_;      // a tick is a part of the idle timeout: 2^this ns
  const std::int32_t idle_ticks_;  // after which a place is nobody's
  const std::uint64_t mask_;
  HugePages memory_;  // found by hashes, a packet each: pages that are small would cost as much as the table
  std::pmr::vector<std::atomic<Claim>> places_;  // {when, whose + 1}; 0: nobody's
};

}  // namespace warpmeter::inline command
