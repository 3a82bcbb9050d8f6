// One warp that runs instructions one after another, without a scheduler.
#pragma once

#include <cstdint>
#include <string>

#include "simulator/block.h"
#include "simulator/launch.h"
#include "simulator/running_launch.h"

namespace cuda_machine::test {

// Instructions in PTX. They may use the registers d, e (results), a, b, c, f (operands) and the predicates p, q
// (results), r, s (operands). Registers have 64 bits; those of d can be chosen.
class BareWarp {
 public:
  enum Register : int { d = kSpecialRegisters, e, a, b, c, f };
  enum Predicate : int { p, q, r, s };

  explicit BareWarp(const std::string& instructions, const std::string& type_of_d = "b64")
      : module_(parse_module(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg ." +
                             type_of_d + " d;\n.reg .b64 e, a, b, c, f;\n.reg .pred p, q, r, s;\n" + instructions +
                             "\nret;\n}\n")) {
    launch_.kernel = &module_.kernels.begin()->second;
    launch_.block = {kLanes, 1, 1};
    block_.begin(running_, 0);
  }

  Warp::Values& operator[](Register which) { return warp().to({which}); }
  LaneMask operator[](Predicate which) { return warp().predicate({which, false}); }
  void set(Predicate which, LaneMask value) { warp().set_predicate(which, value, kAllLanes); }

  Warp& warp() { return block_.warp(0); }

  // Guards are not looked at.
  void run(LaneMask lanes) {
    for (const Instruction& instruction : launch_.kernel->code) {
      if (instruction.execute) instruction.execute(warp(), instruction, lanes);
    }
  }

 private:
  const Module module_;
  Launch launch_;
  RunningLaunch running_{launch_};
  Block block_;
};

}  // namespace cuda_machine::test
