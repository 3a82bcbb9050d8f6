// The kernels of one PTX text.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/instruction.h"
#include "simulator/lanes.h"

namespace cuda_machine {

// Where a kernel's parameter lies among all of them, in bytes.
struct Parameter {
  std::uint32_t offset = 0, size = 0;
};

// Registers that the machine sets when a thread begins; the kernel's own follow.
enum SpecialRegister : int {
  kTidX,
  kTidY,
  kTidZ,
  kNtidX,
  kNtidY,
  kNtidZ,
  kCtaidX,
  kCtaidY,
  kCtaidZ,
  kNctaidX,
  kNctaidY,
  kNctaidZ,
  kLaneId,
  kWarpId,
  kSmId,
  kLaneMaskEq,
  kLaneMaskLt,
  kLaneMaskLe,
  kLaneMaskGt,
  kLaneMaskGe,
  kClock,
  kSink,  // takes what goes to "_"
  kSpecialRegisters
};

struct Kernel {
  std::string name;  // mangled
  std::vector<Instruction> code;
  std::vector<Parameter> parameters;
  std::vector<std::array<std::uint64_t, kLanes>> constants;  // each the same in all lanes
  std::uint32_t parameter_bytes = 0;
  std::uint32_t registers = kSpecialRegisters;
  std::uint32_t predicates = 0;
  std::uint32_t shared_bytes = 0;    // static
  std::uint32_t local_bytes = 0;     // of each thread
  std::uint32_t most_threads = 0;    // .maxntid of a block, 0: not said
  std::map<int, std::string> files;  // by number, as in Instruction::file
};

struct Module {
  int architecture = 0;                   // 90: sm_90
  std::map<std::string, Kernel> kernels;  // by mangled name
};

// An instruction or directive that the machine does not know, or PTX that is wrong. Says which, and where.
class PtxError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws PtxError.
Module parse_module(std::string_view ptx);

}  // namespace cuda_machine
