#include "simulator/lane_schedule.h"

#include <algorithm>
#include <climits>

#include "simulator/place.h"
#include "simulator/running_launch.h"
#include "simulator/warp_wide.h"

namespace cuda_machine {
namespace {

// After so many instructions another group has its turn, so that lanes that wait for each other get there.
constexpr std::uint64_t kConvergedTurn = 4096, kLaneTurn = 1 << 14;

// A group that runs for a while.
struct Turn {
  LaneGroup group;
  std::uint64_t most = kConvergedTurn;  // instructions
  int meets_at = INT_MAX;               // where others are, with which it may go on together
};

LaneGroup take(Warp& warp, std::size_t index) {
  const LaneGroup group = warp.groups[index];
  warp.groups[index] = warp.groups.back();
  warp.groups.pop_back();
  return group;
}

template <class Less>
std::size_t least(const Warp& warp, Less less) {
  const auto at = std::min_element(warp.groups.begin(), warp.groups.end(), less);
  return static_cast<std::size_t>(at - warp.groups.begin());
}

// The group that is furthest behind, with all that are at the same place; up to where the next one is.
Turn converged_turn(Warp& warp) {
  const std::size_t index = warp.tired
                                ? warp.block().launch().random().below(warp.groups.size())
                                : least(warp, [](const LaneGroup& a, const LaneGroup& b) { return a.at < b.at; });
  Turn turn{take(warp, index)};
  for (std::size_t i = 0; i < warp.groups.size();) {
    if (warp.groups[i].at == turn.group.at) turn.group.lanes |= take(warp, i).lanes;
    else ++i;
  }
  if (warp.tired) return turn;
  for (const LaneGroup& other : warp.groups) {
    if (other.at > turn.group.at) turn.meets_at = std::min(turn.meets_at, other.at);
  }
  return turn;
}

// Any group; some of those at the same place come along, and sometimes a part of it stays behind.
Turn random_turn(Warp& warp) {
  RunningLaunch& launch = warp.block().launch();
  Random& random = launch.random();
  std::size_t index = random.below(warp.groups.size());
  for (std::size_t tries = 0; tries < warp.groups.size() && warp.groups[index].not_before > launch.steps(); ++tries) {
    index = (index + 1) % warp.groups.size();
  }
  if (warp.groups[index].not_before > launch.steps()) return {};
  Turn turn{take(warp, index), 1 + random.below(std::uint64_t{2} << random.below(8))};
  for (std::size_t i = 0; i < warp.groups.size();) {
    const LaneGroup& other = warp.groups[i];
    if (other.at == turn.group.at && other.not_before <= launch.steps() && random.chance(50)) {
      turn.group.lanes |= take(warp, i).lanes;
    } else {
      ++i;
    }
  }
  const LaneMask stays = random.chance(12) ? turn.group.lanes & static_cast<LaneMask>(random()) : 0;
  if (stays && stays != turn.group.lanes) {
    warp.groups.push_back({turn.group.at, stays});
    turn.group.lanes &= ~stays;
  }
  return turn;
}

// One lane alone, the lowest or the highest.
Turn lane_turn(Warp& warp, bool up) {
  const auto before = [up](const LaneGroup& a, const LaneGroup& b) {
    return up ? std::countr_zero(a.lanes) < std::countr_zero(b.lanes)
              : std::countl_zero(a.lanes) < std::countl_zero(b.lanes);
  };
  const std::size_t index = warp.tired ? warp.block().launch().random().below(warp.groups.size()) : least(warp, before);
  Turn turn{take(warp, index), kLaneTurn};
  const LaneMask all = turn.group.lanes;
  turn.group.lanes = lane_bit(up ? lowest_lane(all) : kLanes - 1 - static_cast<unsigned>(std::countl_zero(all)));
  if (all != turn.group.lanes) warp.groups.push_back({turn.group.at, all & ~turn.group.lanes});
  return turn;
}

Turn next_turn(Warp& warp) {
  switch (settings().schedule) {
    case Schedule::random: return random_turn(warp);
    case Schedule::lane_up: return lane_turn(warp, true);
    case Schedule::lane_down: return lane_turn(warp, false);
    case Schedule::converged: break;
  }
  return converged_turn(warp);
}

LaneMask mask_of(const Warp& warp, const Instruction& i, unsigned lane) {
  return static_cast<LaneMask>(warp.from(i.from[3])[lane]);
}

// The lanes of `lane`'s mask, all of which have come to such an operation. What must not be: a fault.
void check_alike(const Warp& warp, const Instruction& i, unsigned lane, LaneMask lanes,
                 const std::array<int, kLanes>& at) {
  const LaneMask mask = mask_of(warp, i, lane);
  if (!(mask & lane_bit(lane))) fault(warp, i, lane, Finding::warp_wide, "a lane is not in its own mask");
  if (mask != lanes) fault(warp, i, lane, Finding::warp_wide, "the mask names lanes that have ended");
  for_each_lane(lanes, [&](unsigned other) {
    const Instruction& theirs = warp.kernel().code[static_cast<std::size_t>(at[other])];
    if (theirs.warp_wide != i.warp_wide) fault(warp, i, lane, Finding::warp_wide, "lanes meet at different operations");
    if (mask_of(warp, theirs, other) != mask)
      fault(warp, i, lane, Finding::warp_wide, "lanes meet with different masks");
  });
}

// One turn of a group.
class Runner {
 public:
  Runner(Warp& warp, const Turn& turn)
      : warp_(warp),
        launch_(warp.block().launch()),
        code_(warp.kernel().code),
        turn_(turn),
        at_(turn.group.at),
        lanes_(turn.group.lanes) {}

  // How many instructions it ran.
  std::uint64_t run() {
    while (lanes_ && steps_ < turn_.most && at_ < turn_.meets_at && !yielded_) step();
    warp_.add_group(at_, lanes_);
    return steps_;
  }

 private:
  void step() {
    if (at_ >= static_cast<int>(code_.size())) {
      fault(warp_, code_.back(), lowest_lane(lanes_), Finding::unsupported, "ran beyond the end of the kernel");
    }
    const Instruction& i = code_[static_cast<std::size_t>(at_)];
    const LaneMask lanes = lanes_ & warp_.predicate(i.guard);
    ++steps_;
    if (!lanes) {
      ++at_;
      return;
    }
    ++i.executed;
    if (MemoryTraffic* const traffic = launch_.traffic()) traffic->add_lanes(lanes);
    switch (i.control) {
      case Control::none:
        i.execute(warp_, i, lanes);
        ++at_;
        if (i.memory.atomic != AtomicOperation::none) stall(lanes);
        break;
      case Control::branch: branch(i, lanes); break;
      case Control::exit: exit(lanes); break;
      case Control::warp_wide: meet(i, lanes); break;
      case Control::barrier: wait_at_barrier(lanes); break;
      case Control::sleep:
        ++at_;
        yielded_ = true;
        break;
    }
  }

  void branch(const Instruction& i, LaneMask lanes) {
    if (lanes == lanes_) {
      at_ = i.target;
      return;
    }
    warp_.add_group(i.target, lanes);
    lanes_ &= ~lanes;
    ++at_;
    if (i.target >= at_) turn_.meets_at = std::min(turn_.meets_at, meeting_place(i.target));
    else yielded_ = settings().schedule == Schedule::converged;  // those are further behind now
  }
  int meeting_place(int at) const { return settings().schedule == Schedule::converged ? at : INT_MAX; }

  void exit(LaneMask lanes) {
    warp_.alive &= ~lanes;
    lanes_ &= ~lanes;
    ++at_;
    release_waiting(warp_);
  }

  // Those whose partners are all here do it at once; the others wait.
  void meet(const Instruction& i, LaneMask lanes) {
    std::array<int, kLanes> at;
    at.fill(at_);
    LaneMask waiting = 0;
    for (LaneMask rest = lanes; rest;) {
      const unsigned lane = lowest_lane(rest);
      const LaneMask partners = mask_of(warp_, i, lane) & warp_.alive;
      if (partners & ~rest) {
        waiting |= lane_bit(lane);
        rest &= ~lane_bit(lane);
      } else {
        check_alike(warp_, i, lane, partners, at);
        execute_warp_wide(warp_, partners, at);
        rest &= ~partners;
      }
    }
    wait_for_warp(waiting);
  }

  void wait_for_warp(LaneMask waiting) {
    for_each_lane(waiting, [&](unsigned lane) { warp_.waits_at[lane] = at_; });
    warp_.waits_for_warp |= waiting;
    lanes_ &= ~waiting;
    ++at_;
    if (waiting) release_waiting(warp_);
  }

  void wait_at_barrier(LaneMask lanes) {
    for_each_lane(lanes, [&](unsigned lane) { warp_.waits_at[lane] = at_; });
    warp_.waits_for_block |= lanes;
    lanes_ &= ~lanes;
    ++at_;
  }

  // Some lanes do not go on for long after an atomic operation.
  void stall(LaneMask lanes) {
    const Settings& now = settings();
    Random& random = launch_.random();
    if (now.stall_percent == 0 || now.schedule != Schedule::random || !random.chance(now.stall_percent)) return;
    LaneMask stalled = random.chance(50) ? static_cast<LaneMask>(random()) : lane_bit(lowest_lane(lanes));
    stalled &= lanes_;
    if (!stalled) return;
    warp_.groups.push_back({at_, stalled, launch_.steps() + (std::uint64_t{1} << random.below(18))});
    lanes_ &= ~stalled;
  }

  Warp& warp_;
  RunningLaunch& launch_;
  const std::vector<Instruction>& code_;
  Turn turn_;
  int at_;
  LaneMask lanes_;
  std::uint64_t steps_ = 0;
  bool yielded_ = false;
};

}  // namespace

std::uint64_t run_warp(Warp& warp, std::uint64_t budget) {
  std::uint64_t done = 0;
  while (done < budget && !warp.groups.empty()) {
    const Turn turn = next_turn(warp);
    if (!turn.group.lanes) break;  // all are stalled
    const std::uint64_t steps = Runner(warp, turn).run();
    warp.block().launch().add_steps(steps);
    done += steps;
    warp.tired = steps >= turn.most;
    if (settings().schedule == Schedule::random) break;
  }
  return done;
}

void release_waiting(Warp& warp) {
  for (LaneMask rest = warp.waits_for_warp; rest; rest &= rest - 1) {
    const unsigned lane = lowest_lane(rest);
    if (!(warp.waits_for_warp & lane_bit(lane))) continue;
    const Instruction& i = warp.kernel().code[static_cast<std::size_t>(warp.waits_at[lane])];
    const LaneMask partners = mask_of(warp, i, lane) & warp.alive;
    if (partners & ~warp.waits_for_warp) continue;
    check_alike(warp, i, lane, partners, warp.waits_at);
    execute_warp_wide(warp, partners, warp.waits_at);
    warp.waits_for_warp &= ~partners;
    for_each_lane(partners,
                  [&](unsigned released) { warp.add_group(warp.waits_at[released] + 1, lane_bit(released)); });
  }
}

}  // namespace cuda_machine
