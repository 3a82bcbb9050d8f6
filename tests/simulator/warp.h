// A warp: the registers of 32 lanes, and where each of them is in its kernel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulator/lanes.h"
#include "simulator/module.h"

namespace cuda_machine {

class Block;

// Lanes that are at the same place and may go on.
struct LaneGroup {
  int at = 0;  // index into Kernel::code
  LaneMask lanes = 0;
  std::uint64_t not_before = 0;  // stalled until then; in steps of the launch
};

class Warp {
 public:
  using Values = std::array<std::uint64_t, kLanes>;  // of one register; the upper bits of narrow types are 0

  // All lanes below `threads` begin at the kernel's first instruction. Registers have values that nobody can count on.
  void begin(Block& block, unsigned index, unsigned threads);

  Block& block() const { return *block_; }
  const Kernel& kernel() const { return *kernel_; }
  unsigned index() const { return index_; }                                // in its block
  unsigned thread(unsigned lane) const { return index_ * kLanes + lane; }  // in its block

  Values& to(Operand operand) { return registers_[static_cast<std::size_t>(operand.index)]; }
  const Values& from(Operand operand) const {
    return operand.index >= 0 ? registers_[static_cast<std::size_t>(operand.index)]
                              : kernel_->constants[static_cast<std::size_t>(~operand.index)];
  }
  LaneMask predicate(PredicateOperand operand) const {
    const LaneMask value = operand.index >= 0 ? predicates_[static_cast<std::size_t>(operand.index)]
                           : operand.index == PredicateOperand::kTrue ? kAllLanes
                                                                      : 0;
    return operand.negated ? ~value : value;
  }
  // Nothing happens where `index` < 0.
  void set_predicate(int index, LaneMask value, LaneMask lanes) {
    if (index < 0) return;
    LaneMask& old = predicates_[static_cast<std::size_t>(index)];
    old = (old & ~lanes) | (value & lanes);
  }
  LaneMask carry() const { return carry_; }  // of add.cc and its like
  void set_carry(LaneMask value, LaneMask lanes) { carry_ = (carry_ & ~lanes) | (value & lanes); }
  std::uint8_t* local(unsigned lane) { return local_.data() + std::size_t{lane} * kernel_->local_bytes; }

  // Where the lanes are. A lane that has not ended is in one group, or waits.
  LaneMask alive = 0;
  std::vector<LaneGroup> groups;
  bool tired = false;  // the last group ran as long as it may: another one's turn, whichever
  LaneMask waits_for_warp = 0, waits_for_block = 0;
  std::array<int, kLanes> waits_at{};  // the instruction at which a lane waits
  // What each lane knows of the others of its warp (race_check.h).
  std::array<std::array<std::uint32_t, kLanes>, kLanes> clock{};

  bool ended() const { return alive == 0; }
  // Those lanes may go on at this instruction, together with a group that is there already and not stalled.
  void add_group(int at, LaneMask lanes);

 private:
  void set_special_registers();

  Block* block_ = nullptr;
  const Kernel* kernel_ = nullptr;
  unsigned index_ = 0;
  std::vector<Values> registers_;
  std::vector<LaneMask> predicates_;
  LaneMask carry_ = 0;
  std::vector<std::uint8_t> local_;
};

}  // namespace cuda_machine
