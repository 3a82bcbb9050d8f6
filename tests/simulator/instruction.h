// One PTX instruction, ready to run for any lanes of a warp.
//
// Source of what instructions do: NVIDIA, "Parallel Thread Execution ISA", version 8 and later.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "simulator/lanes.h"

namespace cuda_machine {

class Warp;
struct Instruction;

// Does the work of an instruction for these lanes, whose guards hold; at least one. Throws KernelFault.
using Execute = void (*)(Warp&, const Instruction&, LaneMask);

// A register, or a constant of the kernel.
struct Operand {
  int index = 0;  // >= 0: a register, else the constant ~index
};

struct PredicateOperand {
  static constexpr int kNone = -1, kFalse = -2, kTrue = -3;
  int index = kNone;  // >= 0: a predicate register
  bool negated = false;
};

// What the scheduler has to do with an instruction, besides calling `execute`.
enum class Control : std::uint8_t {
  none,       // execute; go on with the next
  branch,     // to `target`; not executed
  exit,       // the lanes end; not executed
  warp_wide,  // waits for the lanes in its mask; warp_wide.h executes it
  barrier,    // waits for threads of the block; block.h executes it
  sleep,      // others first; not executed
};

enum class Space : std::uint8_t { generic, global, shared, local, param };
// Weak is what PTX calls weak: no order with other threads. Volatile counts as relaxed at system scope.
enum class Order : std::uint8_t { weak, relaxed, acquire, release, acquire_release };
enum class Scope : std::uint8_t { block, gpu, system };
enum class AtomicOperation : std::uint8_t {
  none,
  add,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_and_swap,
  inc,
  dec
};

// Of ld, st, atom, red. from[0] is the address (a constant in space param: the place among the parameters); of st and
// atom the values follow.
struct MemoryAccess {
  Space space = Space::generic;
  Order order = Order::weak;
  Scope scope = Scope::gpu;
  AtomicOperation atomic = AtomicOperation::none;
  std::uint8_t size = 0;      // bytes of an element
  std::uint8_t elements = 1;  // of a vector
  bool is_signed = false;
  std::int64_t offset = 0;                       // added to the address
  std::uint32_t used_bytes = ~std::uint32_t{0};  // bit i: byte i of a load is used (pragma used_bytes_mask)

  std::uint32_t bytes() const { return std::uint32_t{size} * elements; }
};

// Of shfl, vote, match, redux and bar.warp.sync: from[3] is the mask of the lanes that take part, from[0] to from[2]
// the value, lane or width operands (shfl: a, b, c; the others: a), predicate_from[0] what a vote votes.
enum class WarpWide : std::uint8_t {
  sync,
  shfl_idx,
  shfl_up,
  shfl_down,
  shfl_bfly,
  vote_all,
  vote_any,
  vote_uni,
  vote_ballot,
  match_any,
  match_all,
  redux_add,
  redux_min,
  redux_max,
  redux_and,
  redux_or,
  redux_xor
};

// Of bar and barrier: from[0] is the barrier's number, from[1] how many threads it waits for (0: all of the block).
enum class BarrierKind : std::uint8_t { sync, arrive, red_and, red_or, red_popc };

struct Instruction {
  Execute execute = nullptr;
  Control control = Control::none;
  WarpWide warp_wide = WarpWide::sync;
  BarrierKind barrier = BarrierKind::sync;
  bool fence = false;      // membar, fence: `memory` has order and scope
  bool is_signed = false;  // of redux
  std::uint8_t size = 0;   // bytes of the value of match, of the parts of mov {a, b}, else of the registers in `to`
  std::uint8_t destinations = 0, sources = 0;
  std::array<Operand, 4> to{};
  std::array<Operand, 5> from{};
  std::array<int, 2> predicate_to{-1, -1};  // of setp, shfl, vote, match
  std::array<PredicateOperand, 2> predicate_from{};
  PredicateOperand guard{PredicateOperand::kTrue, false};
  MemoryAccess memory;
  int target = -1;                     // of a branch: an index into Kernel::code
  int file = 0, line = 0;              // of the source, where the PTX tells
  std::string text;                    // as it stands in the PTX
  mutable std::uint64_t executed = 0;  // how often, by at least one lane; for coverage
};

}  // namespace cuda_machine
