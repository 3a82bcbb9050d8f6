#include "live/flow_owners.h"

namespace warpmeter {
namespace {

constexpr std::int32_t kNever = INT32_MAX;

// Rounded up, and as much again as packets of several rings may be apart in time.
std::int32_t idle_ticks_of(std::int64_t idle_ns, unsigned tick_shift, unsigned tick_bits) {
  constexpr std::int64_t kApart = 2;
  const std::int64_t ticks = (idle_ns >> tick_shift) + 1 + kApart;
  return idle_ns == 0 || ticks >= std::int64_t{1} << (tick_bits - 1) ? kNever : static_cast<std::int32_t>(ticks);
}

}  // namespace

FlowOwners::FlowOwners(std::int64_t idle_ns, std::size_t places)
    : idle_ticks_(idle_ticks_of(idle_ns, kTickShift, kTickBits)), mask_(places - 1), places_(places) {}

unsigned FlowOwners::settle(std::atomic<std::uint32_t>& place, std::uint32_t found, std::uint32_t claim) const {
  constexpr std::uint32_t kOwner = (1u << kOwnerBits) - 1;
  for (;;) {
    const auto age = static_cast<std::int32_t>((claim & ~kOwner) - (found & ~kOwner)) >> kOwnerBits;  // ticks
    const std::uint32_t owner = found & kOwner;
    const bool is_free = owner == 0 || age > idle_ticks_;
    if (!is_free && age <= 0) return owner - 1;
    const std::uint32_t next = is_free ? claim : (claim & ~kOwner) | owner;
    if (place.compare_exchange_weak(found, next, std::memory_order_relaxed)) return (next & kOwner) - 1;
  }
}

}  // namespace warpmeter
