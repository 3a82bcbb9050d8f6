#include "simulator/block.h"

#include <algorithm>
#include <array>

#include "simulator/place.h"
#include "simulator/running_launch.h"

namespace cuda_machine {
namespace {

constexpr unsigned kBarriers = 16;  // of a block

// Calls f(warp, instruction, lane) for each lane that waits at this barrier.
template <class F>
void for_each_waiting(Block& block, unsigned number, F f) {
  for (unsigned i = 0; i < block.warps(); ++i) {
    Warp& warp = block.warp(i);
    for_each_lane(warp.waits_for_block, [&](unsigned lane) {
      const Instruction& at = warp.kernel().code[static_cast<std::size_t>(warp.waits_at[lane])];
      if (warp.from(at.from[0])[lane] % kBarriers == number) f(warp, at, lane);
    });
  }
}

void give_result(Warp& warp, const Instruction& at, unsigned lane, unsigned said_yes, unsigned came) {
  const auto all_lanes = [](bool yes) { return yes ? kAllLanes : 0; };
  switch (at.barrier) {
    case BarrierKind::red_popc: warp.to(at.to[0])[lane] = said_yes; break;
    case BarrierKind::red_and:
      warp.set_predicate(at.predicate_to[0], all_lanes(said_yes == came), lane_bit(lane));
      break;
    case BarrierKind::red_or: warp.set_predicate(at.predicate_to[0], all_lanes(said_yes > 0), lane_bit(lane)); break;
    case BarrierKind::sync:
    case BarrierKind::arrive: break;
  }
}

}  // namespace

void Block::begin(RunningLaunch& launch, std::uint64_t number) {
  launch_ = &launch;
  number_ = number;
  place_ = launch.launch().grid.place(number);
  threads_ = static_cast<unsigned>(launch.launch().block.count());
  warps_used_ = (threads_ + kLanes - 1) / kLanes;
  barriers_passed_ = 0;
  while (warps_.size() < warps_used_) warps_.push_back(std::make_unique<Warp>());
  shared_.resize(std::size_t{launch.kernel().shared_bytes} + launch.launch().dynamic_shared);
  std::fill(shared_.begin(), shared_.end(), static_cast<std::uint8_t>(launch.random()()));
  for (unsigned i = 0; i < warps_used_; ++i) warps_[i]->begin(*this, i, threads_ - i * kLanes);
}

bool Block::ended() const {
  return std::all_of(warps_.begin(), warps_.begin() + warps_used_, [](const auto& warp) { return warp->ended(); });
}

bool Block::try_barriers() {
  bool any = false;
  for (unsigned number = 0; number < kBarriers; ++number) any |= try_barrier(number);
  return any;
}

bool Block::try_barrier(unsigned number) {
  unsigned came = 0, wanted = 0, said_yes = 0, alive = 0;
  for (unsigned i = 0; i < warps_used_; ++i) alive += static_cast<unsigned>(std::popcount(warps_[i]->alive));
  for_each_waiting(*this, number, [&](Warp& warp, const Instruction& at, unsigned lane) {
    if (at.barrier == BarrierKind::arrive) fault(warp, at, lane, Finding::unsupported, "bar.arrive");
    ++came;
    wanted = static_cast<unsigned>(warp.from(at.from[1])[lane]);
    said_yes += warp.predicate(at.predicate_from[0]) >> lane & 1;
  });
  if (came == 0 || came < (wanted ? wanted : alive)) return false;
  for_each_waiting(*this, number, [&](Warp& warp, const Instruction& at, unsigned lane) {
    give_result(warp, at, lane, said_yes, came);
    warp.waits_for_block &= ~lane_bit(lane);
    warp.add_group(warp.waits_at[lane] + 1, lane_bit(lane));
  });
  if (came == alive) ++barriers_passed_;
  return true;
}

}  // namespace cuda_machine
