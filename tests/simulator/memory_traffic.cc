#include "simulator/memory_traffic.h"

#include <algorithm>
#include <bit>

#include "simulator/block.h"
#include "simulator/memory_access.h"
#include "simulator/settings.h"

namespace cuda_machine {
namespace {

bool is_global(const MemoryAccess& memory, std::uint64_t address) {
  return memory.space == Space::global || (memory.space == Space::generic && address < kSharedWindow);
}

std::uint64_t address_of(const Instruction& instruction, std::uint64_t base) {
  return base + static_cast<std::uint64_t>(instruction.memory.offset);
}

}  // namespace

MemoryTraffic::MemoryTraffic()
    : l2_(settings().l2_bytes), l1_(settings().multiprocessors, CacheModel(settings().l1_bytes)) {}

void MemoryTraffic::begin_launch(MemoryCounts& counts) {
  counts_ = &counts;
  atomics_at_.clear();
  for (CacheModel& l1 : l1_) l1.forget_all();
}

void MemoryTraffic::end_launch() {
  std::uint64_t most = 0;
  for (const auto& [address, times] : atomics_at_) most = std::max(most, times);
  counts_->atomics_in_a_row += most;
}

void MemoryTraffic::add_lanes(LaneMask lanes) { counts_->lanes += static_cast<std::uint64_t>(std::popcount(lanes)); }

void MemoryTraffic::collect_sectors(const Instruction& instruction, LaneMask lanes, const Warp::Values& base) {
  sectors_.clear();
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = address_of(instruction, base[lane]);
    if (!is_global(instruction.memory, address)) return;
    const std::uint64_t last = (address + instruction.memory.bytes() - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last; ++sector) sectors_.push_back(sector);
  });
  std::sort(sectors_.begin(), sectors_.end());
  sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
}

void MemoryTraffic::use_l2(const CacheModel::Outcome& outcome, bool brings) {
  counts_->dram_read_sectors += brings && !outcome.hit;
  counts_->dram_write_sectors += outcome.written_back;
}

void MemoryTraffic::read(CacheModel* l1) {
  ++counts_->reads;
  counts_->read_sectors += sectors_.size();
  for (const std::uint64_t sector : sectors_) {
    if (l1 && l1->read(sector).hit) continue;
    ++counts_->l2_read_sectors;
    use_l2(l2_.read(sector), true);
  }
}

// Through to the L2.
void MemoryTraffic::write() {
  ++counts_->writes;
  counts_->l2_write_sectors += sectors_.size();
  for (const std::uint64_t sector : sectors_) use_l2(l2_.write(sector), false);
}

void MemoryTraffic::update(const Instruction& instruction, LaneMask lanes, const Warp::Values& base) {
  ++counts_->atomics;
  counts_->atomic_sectors += sectors_.size();
  for (const std::uint64_t sector : sectors_) use_l2(l2_.write(sector), true);
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uint64_t address = address_of(instruction, base[lane]);
    if (!is_global(instruction.memory, address)) return;
    ++counts_->atomic_operations;
    ++atomics_at_[address];
  });
}

void MemoryTraffic::access(const Warp& warp, const Instruction& instruction, LaneMask lanes, const Warp::Values& base) {
  collect_sectors(instruction, lanes, base);
  if (sectors_.empty()) return;
  const MemoryAccess& memory = instruction.memory;
  if (memory.atomic != AtomicOperation::none) update(instruction, lanes, base);
  else if (instruction.destinations == 0) write();
  else read(memory.order == Order::weak ? &l1_[warp.block().number() % l1_.size()] : nullptr);
}

}  // namespace cuda_machine
