// Finds accesses that race: two of the same bytes, at least one of them a write, at least one of them not atomic for
// the other, and neither ordered before the other.
//
// Ordered are: what a lane does, one after the other; what lanes do before and after a bar.warp.sync that both are
// named in; what threads of a block do before and after a barrier of all; what a thread did before a release and
// another does after an acquire that saw it (fences included); launches. Source: PTX ISA, "Memory Consistency Model":
// causality order, morally strong operations. Clocks as in Flanagan and Freund, "FastTrack: Efficient and Precise
// Dynamic Race Detection".
//
// What it does not see: which of several earlier readers raced, if many warps read the same bytes; that many readers of
// several blocks are ordered before a write by acquires alone would be reported although it is right.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/block.h"
#include "simulator/shadow.h"

namespace cuda_machine {

class RunningLaunch;

class RaceCheck {
 public:
  explicit RaceCheck(RunningLaunch& launch);
  ~RaceCheck();

  // An access of a lane to shadowed bytes. Reports races. `address` is for the report.
  void access(const Warp& warp, const Instruction& instruction, unsigned lane, Shadow& shadow, std::size_t offset,
              std::uint64_t address);
  void fence(const Warp& warp, const Instruction& instruction, unsigned lane);
  Shadow& shared_shadow(const Block& block);
  // The block has ended: nobody accesses its shared memory any more.
  void forget_shared(const Block& block) { shared_.erase(block.number()); }

 private:
  struct Released;  // what a thread knew when it released
  using ReleasedPointer = std::shared_ptr<const Released>;
  struct Synchronizing;  // of a thread: what it may release, what it saw and may acquire

  bool ordered_before(const Stamp& earlier, const Warp& warp, unsigned lane) const;
  bool conflicts(const StampSet& earlier, const Stamp& now, const Warp& warp, unsigned lane, bool strong) const;
  void add(StampSet& set, const Stamp& stamp, const Warp& warp, unsigned lane) const;
  void summarize(StampSet& set, const Stamp& stamp) const;
  void check_cell(const Warp& warp, const Instruction& instruction, unsigned lane, Cell& cell, const Stamp& now,
                  std::uint64_t address);
  void synchronize(const Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address);
  ReleasedPointer knowledge_of(const Warp& warp, unsigned lane) const;
  Synchronizing& synchronizing(const Warp& warp, unsigned lane);

  RunningLaunch& launch_;
  const std::uint32_t number_;                                                // of the launch, in the process
  std::unordered_map<std::uint64_t, Synchronizing> threads_;                  // those that fenced, released or acquired
  std::unordered_map<std::uint64_t, ReleasedPointer> published_;              // by address
  std::unordered_map<std::uint64_t, std::vector<ReleasedPointer>> acquired_;  // by block
  std::unordered_map<std::uint64_t, std::unique_ptr<Shadow>> shared_;         // by block
};

}  // namespace cuda_machine
