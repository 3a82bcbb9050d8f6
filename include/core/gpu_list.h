// The GPUs of this machine, as the CUDA runtime lists them. Defined in kernels/, where the build has CUDA.
#pragma once

#include <cstddef>
#include <optional>
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

// In the driver's and the runtime's words a machine without a driver has one that is too old. Their versions tell more:
// 12040 is 12.4, 0 is none. Nothing if the driver is there, and new enough.
inline std::optional<std::string> why_no_driver(int driver, int runtime) {
  const auto name = [](int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  };
  if (driver == 0) return "no NVIDIA driver";
  if (driver / 1000 >= runtime / 1000) return std::nullopt;
  return "the NVIDIA driver is too old: it is for CUDA " + name(driver) + ", this build needs " + name(runtime);
}

// Never throws; a missing driver is an empty list with an error.
GpuList list_gpus();

}  // namespace warpmeter
