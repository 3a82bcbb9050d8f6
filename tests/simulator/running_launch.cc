#include "simulator/running_launch.h"

#include <algorithm>

#include "simulator/lane_schedule.h"
#include "simulator/launch_counts.h"
#include "simulator/place.h"

namespace cuda_machine {
namespace {

// How long a warp runs before the next one does.
constexpr std::uint64_t kBudget = 1 << 16, kRandomBudget = 512;
// While all of a warp are stalled, time goes on.
constexpr std::uint64_t kIdleSteps = 16;

// Blocks that have ended, for later ones: their registers are large.
std::vector<std::unique_ptr<Block>>& spare_blocks() {
  static std::vector<std::unique_ptr<Block>> blocks;
  return blocks;
}

std::unique_ptr<Block> take_spare_block() {
  if (spare_blocks().empty()) return std::make_unique<Block>();
  auto block = std::move(spare_blocks().back());
  spare_blocks().pop_back();
  return block;
}

// Whether its races are looked for.
bool is_checked(const Kernel& kernel) {
  if (settings().check_races != Races::ours) return settings().check_races == Races::all;
  return kernel.name.find("3cub") == std::string::npos;
}

bool can_go_on(Block& block) {
  for (unsigned i = 0; i < block.warps(); ++i) {
    if (!block.warp(i).groups.empty()) return true;
  }
  return false;
}

}  // namespace

RunningLaunch::RunningLaunch(const Launch& launch)
    : launch_(launch),
      random_(settings().seed),
      checks_streams_(launch.order && settings().check_races != Races::none),
      traffic_(launch.counts ? &launch.counts->traffic : nullptr) {
  static std::uint64_t launches = 0;
  random_ = Random(settings().seed * 1'000'003 + launches++);
  if (is_checked(kernel())) races_ = std::make_unique<RaceCheck>(*this);
}

RunningLaunch::~RunningLaunch() = default;

void RunningLaunch::run() {
  if (launch_.counts) launch_.counts->begin(launch_);
  const std::uint64_t blocks = launch_.grid.count();
  while (next_block_ < blocks || !resident_.empty()) {
    let_blocks_in();
    run_some();
    retire_blocks();
    if (steps_ > settings().instruction_limit) give_up();
  }
  if (launch_.counts) launch_.counts->end();
}

void RunningLaunch::let_blocks_in() {
  while (resident_.size() < settings().resident_blocks && next_block_ < launch_.grid.count()) {
    resident_.push_back(take_spare_block());
    resident_.back()->begin(*this, next_block_++);
  }
}

void RunningLaunch::retire_blocks() {
  for (std::size_t i = 0; i < resident_.size();) {
    if (!resident_[i]->ended()) {
      ++i;
      continue;
    }
    if (races_) races_->forget_shared(*resident_[i]);
    spare_blocks().push_back(std::move(resident_[i]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void RunningLaunch::run_some() {
  if (settings().schedule == Schedule::random) {
    run_random_warp();
    return;
  }
  Block& block = *resident_[turn_++ % resident_.size()];
  if (!run_round(block) && !block.ended() && !block.try_barriers()) give_up();
}

// Each warp of the block has its turn. False: none of them could go on.
bool RunningLaunch::run_round(Block& block) {
  bool any = false;
  for (unsigned i = 0; i < block.warps(); ++i) {
    Warp& warp = block.warp(settings().schedule == Schedule::lane_down ? block.warps() - 1 - i : i);
    any |= !warp.groups.empty() && run_warp(warp, kBudget) > 0;
  }
  return any;
}

void RunningLaunch::run_random_warp() {
  Block& block = *resident_[random_.below(resident_.size())];
  Warp& warp = block.warp(static_cast<unsigned>(random_.below(block.warps())));
  if (!warp.groups.empty()) {
    if (run_warp(warp, 1 + random_.below(kRandomBudget)) == 0) add_steps(kIdleSteps);
    return;
  }
  if (random_.below(64) == 0 && !anyone_can_go_on()) give_up();
}

bool RunningLaunch::anyone_can_go_on() {
  bool any = false;
  for (const auto& block : resident_) any |= block->ended() || can_go_on(*block) || block->try_barriers();
  return any;
}

// Nobody can go on, or not within the limit: says for what the first lane waits.
void RunningLaunch::give_up() {
  const bool endless = steps_ > settings().instruction_limit;
  for (const auto& block : resident_) {
    for (unsigned i = 0; i < block->warps(); ++i) {
      Warp& warp = block->warp(i);
      if (warp.ended()) continue;
      const LaneMask waiting = warp.waits_for_warp | warp.waits_for_block;
      const unsigned lane = lowest_lane(waiting ? waiting : warp.alive);
      const int at = waiting ? warp.waits_at[lane] : warp.groups.front().at;
      fault(warp, kernel().code[static_cast<std::size_t>(at)], lane, endless ? Finding::no_end : Finding::deadlock,
            endless ? "no end after " + std::to_string(steps_) + " instructions of warps"
                    : "lanes wait for others that do not come");
    }
  }
  throw KernelFault(Finding::deadlock, "nobody can go on");
}

Allocation* RunningLaunch::find(std::uint64_t address) {
  for (Allocation*& known : recent_) {
    if (!known || !known->has(address, 1)) continue;
    std::swap(known, recent_[0]);
    return recent_[0];
  }
  Allocation* found = launch_.memory->find(address);
  if (!found && launch_.pinned) found = launch_.pinned->find(address);
  if (found) {
    std::rotate(recent_.begin(), recent_.end() - 1, recent_.end());
    recent_[0] = found;
  }
  return found;
}

void run(const Launch& launch) { RunningLaunch(launch).run(); }

}  // namespace cuda_machine
