#include "simulator/warp.h"

#include <algorithm>

#include "simulator/block.h"
#include "simulator/running_launch.h"

namespace cuda_machine {

void Warp::begin(Block& block, unsigned index, unsigned threads) {
  block_ = &block;
  kernel_ = &block.launch().kernel();
  index_ = index;
  Random& random = block.launch().random();
  // What earlier warps left is as good as anything: nobody can count on it.
  const std::size_t known = registers_.size();
  registers_.resize(std::max<std::size_t>(known, kernel_->registers));
  for (std::size_t i = known; i < registers_.size(); ++i) registers_[i].fill(random());
  predicates_.resize(std::max<std::size_t>(predicates_.size(), kernel_->predicates));
  for (LaneMask& predicate : predicates_) predicate = static_cast<LaneMask>(random());
  carry_ = static_cast<LaneMask>(random());
  local_.resize(std::size_t{kernel_->local_bytes} * kLanes);
  alive = threads >= kLanes ? kAllLanes : lane_bit(threads) - 1;
  groups.assign(1, {0, alive});
  waits_for_warp = waits_for_block = 0;
  tired = false;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    clock[lane].fill(0);
    clock[lane][lane] = 1;
  }
  set_special_registers();
}

void Warp::add_group(int at, LaneMask lanes) {
  if (!lanes) return;
  for (LaneGroup& group : groups) {
    if (group.at == at && group.not_before <= block_->launch().steps()) {
      group.lanes |= lanes;
      return;
    }
  }
  groups.push_back({at, lanes});
}

void Warp::set_special_registers() {
  const Launch& launch = block_->launch().launch();
  const Extent at = block_->place();
  const auto everywhere = [this](SpecialRegister r, std::uint64_t value) { registers_[r].fill(value); };
  everywhere(kNtidX, launch.block.x), everywhere(kNtidY, launch.block.y), everywhere(kNtidZ, launch.block.z);
  everywhere(kCtaidX, at.x), everywhere(kCtaidY, at.y), everywhere(kCtaidZ, at.z);
  everywhere(kNctaidX, launch.grid.x), everywhere(kNctaidY, launch.grid.y), everywhere(kNctaidZ, launch.grid.z);
  everywhere(kWarpId, index_), everywhere(kSmId, block_->number() % settings().multiprocessors);
  everywhere(kClock, block_->launch().random()());
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const Extent thread = launch.block.place(this->thread(lane));
    const std::uint64_t below = lane_bit(lane) - 1, above = ~(below | lane_bit(lane)) & kAllLanes;
    registers_[kTidX][lane] = thread.x, registers_[kTidY][lane] = thread.y, registers_[kTidZ][lane] = thread.z;
    registers_[kLaneId][lane] = lane;
    registers_[kLaneMaskEq][lane] = lane_bit(lane);
    registers_[kLaneMaskLt][lane] = below, registers_[kLaneMaskLe][lane] = below | lane_bit(lane);
    registers_[kLaneMaskGt][lane] = above, registers_[kLaneMaskGe][lane] = above | lane_bit(lane);
  }
}

}  // namespace cuda_machine
