#include "simulator/race_check.h"

#include <algorithm>

#include "simulator/place.h"
#include "simulator/running_launch.h"

namespace cuda_machine {
namespace {

std::uint32_t next_number() {
  static std::uint32_t launches = 0;
  return ++launches;
}

std::uint32_t block_of(const Warp& warp) { return static_cast<std::uint32_t>(warp.block().number()); }
std::uint32_t warp_of(const Warp& warp) { return block_of(warp) * warp.block().warps() + warp.index(); }

bool is_strong(const MemoryAccess& memory) {
  return memory.order != Order::weak || memory.atomic != AtomicOperation::none;
}
bool writes(const Instruction& i) { return i.destinations == 0 || i.memory.atomic != AtomicOperation::none; }
bool releases(Order order) { return order == Order::release || order == Order::acquire_release; }
bool acquires(Order order) { return order == Order::acquire || order == Order::acquire_release; }

// Two strong operations are atomic for each other if they are of the very same bytes, and each one's scope includes the
// other's thread.
bool atomic_for_each_other(const Stamp& a, const Stamp& b) {
  return a.begin == b.begin && a.bytes == b.bytes && (a.block == b.block || (!a.block_scope && !b.block_scope));
}

std::string words_of(const Stamp& stamp, bool strong) {
  return std::string(strong ? "atomic " : "") + (stamp.writes ? "write" : "read") + " by warp " +
         std::to_string(stamp.warp) + " of the launch, lane " +
         std::to_string(lowest_lane(stamp.lanes ? stamp.lanes : 1));
}

}  // namespace

struct RaceCheck::Released {
  std::uint32_t warp = 0, block = 0, barriers = 0;
  std::array<std::uint32_t, kLanes> clock{};
  bool block_scope = false;
  std::vector<ReleasedPointer> acquired;

  bool covers(const Stamp& stamp) const {
    if (stamp.warp == warp) {
      bool all = true;
      for_each_lane(stamp.lanes, [&](unsigned lane) { all &= clock[lane] >= stamp.clock; });
      if (all) return true;
    }
    if (stamp.block == block && stamp.barriers < barriers) return true;
    return std::any_of(acquired.begin(), acquired.end(), [&](const auto& one) { return one->covers(stamp); });
  }
};

struct RaceCheck::Synchronizing {
  ReleasedPointer at_fence;           // what later atomic writes release
  std::vector<ReleasedPointer> seen;  // what a later fence acquires
};

RaceCheck::RaceCheck(RunningLaunch& launch) : launch_(launch), number_(next_number()) {}
RaceCheck::~RaceCheck() = default;

bool RaceCheck::ordered_before(const Stamp& earlier, const Warp& warp, unsigned lane) const {
  if (earlier.launch != number_) return true;
  if (earlier.warp == warp_of(warp)) {
    bool known = true;
    for_each_lane(earlier.lanes,
                  [&](unsigned other) { known &= other == lane || warp.clock[lane][other] >= earlier.clock; });
    if (known) return true;
  }
  if (earlier.block == block_of(warp) && earlier.barriers < warp.block().barriers_passed()) return true;
  const auto acquired = acquired_.find(block_of(warp));
  return acquired != acquired_.end() && std::any_of(acquired->second.begin(), acquired->second.end(),
                                                    [&](const auto& one) { return one->covers(earlier); });
}

// Whether one of the earlier accesses races with this one; `strong`: those of the set and this are atomic operations.
bool RaceCheck::conflicts(const StampSet& earlier, const Stamp& now, const Warp& warp, unsigned lane,
                          bool strong) const {
  for (std::size_t i = 0; i < earlier.count; ++i) {
    const Stamp& one = earlier.exact[i];
    if (!one.writes && !now.writes) continue;
    if (strong && atomic_for_each_other(one, now)) continue;
    if (!ordered_before(one, warp, lane)) return true;
  }
  if (earlier.breadth == StampSet::Breadth::exact || earlier.launch != number_) return false;
  if (!earlier.writes && !now.writes) return false;
  const bool same_block = earlier.breadth == StampSet::Breadth::block && earlier.block == now.block;
  if (strong && (same_block || !now.block_scope)) return false;
  return !same_block || earlier.barriers >= warp.block().barriers_passed();
}

void RaceCheck::summarize(StampSet& set, const Stamp& stamp) const {
  if (set.breadth == StampSet::Breadth::exact || set.launch != stamp.launch) {
    set.breadth = StampSet::Breadth::block;
    set.launch = stamp.launch, set.block = stamp.block, set.barriers = stamp.barriers, set.writes = stamp.writes;
    return;
  }
  if (set.block != stamp.block) set.breadth = StampSet::Breadth::launch;
  set.barriers = std::max(set.barriers, stamp.barriers);
  set.writes |= stamp.writes;
}

void RaceCheck::add(StampSet& set, const Stamp& stamp, const Warp& warp, unsigned lane) const {
  for (std::size_t i = 0; i < set.count;) {
    Stamp& one = set.exact[i];
    if (one.at_the_time_of(stamp)) {
      one.lanes |= stamp.lanes;
      return;
    }
    // Who comes after this access comes after those before it.
    if (ordered_before(one, warp, lane) && (stamp.writes || !one.writes)) one = set.exact[--set.count];
    else ++i;
  }
  if (set.count < StampSet::kExact) {
    set.exact[set.count++] = stamp;
    return;
  }
  summarize(set, set.exact[0]);
  set.exact[0] = stamp;
}

void RaceCheck::check_cell(const Warp& warp, const Instruction& instruction, unsigned lane, Cell& cell,
                           const Stamp& now, std::uint64_t address) {
  const bool strong = is_strong(instruction.memory);
  const auto race = [&](const std::string& with) {
    note(warp, instruction, lane, Finding::race, "race at byte " + std::to_string(address) + " with a " + with);
  };
  if (cell.write.launch && !ordered_before(cell.write, warp, lane)) race(words_of(cell.write, false));
  if (now.writes && conflicts(cell.reads, now, warp, lane, false)) race("read");
  if (conflicts(cell.atomics, now, warp, lane, strong)) race("atomic operation");
  if (strong) add(cell.atomics, now, warp, lane);
  else if (now.writes) cell.write = now;
  else add(cell.reads, now, warp, lane);
}

void RaceCheck::access(const Warp& warp, const Instruction& instruction, unsigned lane, Shadow& shadow,
                       std::size_t offset, std::uint64_t address) {
  const MemoryAccess& memory = instruction.memory;
  if (is_strong(memory)) synchronize(warp, instruction, lane, address);
  Stamp now{.launch = number_,
            .block = block_of(warp),
            .warp = warp_of(warp),
            .clock = warp.clock[lane][lane],
            .barriers = warp.block().barriers_passed(),
            .lanes = lane_bit(lane),
            .writes = writes(instruction),
            .block_scope = memory.scope == Scope::block};
  if (is_strong(memory)) {
    // Each element of a vector is an operation of its own.
    now.bytes = memory.size;
    for (std::uint32_t e = 0; e < memory.elements; ++e) {
      now.begin = static_cast<std::uint8_t>(address + e * memory.size);
      shadow.for_each_cell(offset + e * memory.size, memory.size,
                           [&](Cell& cell) { check_cell(warp, instruction, lane, cell, now, address); });
    }
    return;
  }
  if (memory.used_bytes == ~std::uint32_t{0}) {
    shadow.for_each_cell(offset, memory.bytes(),
                         [&](Cell& cell) { check_cell(warp, instruction, lane, cell, now, address); });
    return;
  }
  for (std::uint32_t i = 0; i < memory.bytes(); ++i) {
    if (!(memory.used_bytes >> i & 1)) continue;
    shadow.for_each_cell(offset + i, 1,
                         [&](Cell& cell) { check_cell(warp, instruction, lane, cell, now, address + i); });
  }
}

RaceCheck::Synchronizing& RaceCheck::synchronizing(const Warp& warp, unsigned lane) {
  return threads_[std::uint64_t{warp_of(warp)} * kLanes + lane];
}

RaceCheck::ReleasedPointer RaceCheck::knowledge_of(const Warp& warp, unsigned lane) const {
  auto known = std::make_shared<Released>();
  known->warp = warp_of(warp), known->block = block_of(warp), known->barriers = warp.block().barriers_passed();
  known->clock = warp.clock[lane];
  const auto acquired = acquired_.find(block_of(warp));
  if (acquired != acquired_.end()) known->acquired = acquired->second;
  return known;
}

// What a strong operation publishes at its address, and what it learns there. A fence before a write makes it a
// release, a fence after a read an acquire.
void RaceCheck::synchronize(const Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address) {
  const MemoryAccess& memory = instruction.memory;
  const auto there = published_.find(address);
  if (there != published_.end() && instruction.destinations) {
    if (acquires(memory.order)) acquired_[block_of(warp)].push_back(there->second);
    else synchronizing(warp, lane).seen.push_back(there->second);
  }
  if (!writes(instruction)) return;
  if (releases(memory.order)) {
    published_[address] = knowledge_of(warp, lane);
    return;
  }
  const auto thread = threads_.find(std::uint64_t{warp_of(warp)} * kLanes + lane);
  if (thread != threads_.end() && thread->second.at_fence) published_[address] = thread->second.at_fence;
  else if (memory.atomic == AtomicOperation::none) published_.erase(address);  // else a release goes on through it
}

void RaceCheck::fence(const Warp& warp, const Instruction& instruction, unsigned lane) {
  Synchronizing& thread = synchronizing(warp, lane);
  const bool block_only = instruction.memory.scope == Scope::block;
  auto& acquired = acquired_[block_of(warp)];
  for (const ReleasedPointer& seen : thread.seen) {
    if (!block_only || seen->block == block_of(warp)) acquired.push_back(seen);
  }
  thread.seen.clear();
  if (!block_only) thread.at_fence = knowledge_of(warp, lane);
}

Shadow& RaceCheck::shared_shadow(const Block& block) {
  auto& shadow = shared_[block.number()];
  if (!shadow) shadow = std::make_unique<Shadow>(block.shared().size());
  return *shadow;
}

}  // namespace cuda_machine
