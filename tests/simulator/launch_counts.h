// What launches cost, counted: for a model of how long a GPU would take (bench/gpu/predict).
//
// With the setting counts=FOLDER every process writes a file PROCESS.counts when it ends, a JSON object a line: one for
// each kernel that ran, one for the work of streams.
#pragma once

#include <cstdint>
#include <map>

#include "simulator/memory_traffic.h"

namespace cuda_machine {

struct Kernel;
struct Launch;

// What the host gave to streams.
struct StreamCounts {
  struct Transfers {
    std::uint64_t number = 0, bytes = 0;
  };
  Transfers in, out, on_device;  // copies to the GPU, to the host, on the GPU
  Transfers fills;
  std::uint64_t launches = 0, events = 0, waits = 0;
};

class LaunchCounts {
 public:
  // Of the process; null if the settings want nothing counted.
  static LaunchCounts* instance();

  void begin(const Launch& launch);
  void end() { traffic.end_launch(); }

  // REQUIRES: it was launched.
  const MemoryCounts& memory_of(const Kernel& kernel) const { return kernels_.at(&kernel).memory; }

  MemoryTraffic traffic;
  StreamCounts streams;

 private:
  struct KernelCounts {
    std::uint64_t launches = 0, blocks = 0, threads = 0;
    std::uint64_t block_threads = 0, shared_bytes = 0;  // of the last launch
    MemoryCounts memory;
  };

  static void write_all();
  void write_kernel(std::ostream& out, const Kernel& kernel, const KernelCounts& counts) const;
  void write_streams(std::ostream& out) const;

  std::map<const Kernel*, KernelCounts> kernels_;
};

}  // namespace cuda_machine
