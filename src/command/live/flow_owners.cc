#include "command/live/flow_owners.h"

#include <algorithm>
#include <bit>

namespace warpmeter::inline command {
namespace {

constexpr unsigned kTickBits = 24;
constexpr std::int32_t kNotAtAll = INT32_MAX;

// Places are written to once a tick, so ticks are long; but not too much of the idle timeout, for which a place stays
// with its owner at least.
unsigned tick_shift_of(std::int64_t idle_ns) {
  constexpr std::int64_t kTicksOfIdle = 16;
  constexpr unsigned kLeast = 28, kMost = 40;  // 0.3 s to 18 minutes
  if (idle_ns == 0) return kMost;
  return std::clamp(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(idle_ns / kTicksOfIdle))), kLeast,
                    kMost);
}

// Rounded up, and as much again as packets of several rings may be apart in time.
std::int32_t idle_ticks_of(std::int64_t idle_ns, unsigned tick_shift) {
  constexpr std::int64_t kApart = 2'000'000'000;
  const std::int64_t ticks = (idle_ns >> tick_shift) + (kApart >> tick_shift) + 2;
  return idle_ns == 0 || ticks >= std::int64_t{1} << (kTickBits - 1) ? kNotAtAll : static_cast<std::int32_t>(ticks);
}

}  // namespace

FlowOwners::FlowOwners(std::int64_t idle_ns, std::size_t places)
    : tick_shift_(tick_shift_of(idle_ns)),
      idle_ticks_(idle_ticks_of(idle_ns, tick_shift_)),
      mask_(places - 1),
      places_(places, &memory_) {}

unsigned FlowOwners::settle(std::atomic<Claim>& place, Claim found, Claim claim) const {
  constexpr Claim kOwner = (1u << kOwnerBits) - 1;
  for (;;) {
    const auto age = static_cast<std::int32_t>((claim & ~kOwner) - (found & ~kOwner)) >> kOwnerBits;  // ticks
    const bool is_free = found == 0 || age > idle_ticks_;
    if (!is_free && age <= 0) return owner_in(found);
    const Claim next = is_free ? claim : (claim & ~kOwner) | (found & kOwner);
    if (place.compare_exchange_weak(found, next, std::memory_order_relaxed)) return owner_in(next);
  }
}

}  // namespace warpmeter::inline command
