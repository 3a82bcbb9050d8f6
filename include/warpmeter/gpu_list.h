// The GPUs of this machine, as the CUDA runtime lists them. Defined in kernels/, where the build has CUDA.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace warpmeter {

struct Gpu {
  std::string name;
  int major;  // compute capability
  int minor;
  std::size_t memory;  // bytes
};

struct GpuList {
  std::vector<Gpu> gpus;
  std::string error;  // why the list is empty
};

// Never throws; a missing driver is an empty list with an error.
GpuList list_gpus();

}  // namespace warpmeter
