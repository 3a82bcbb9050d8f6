// Which backend meters, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/device_meter.h"
#include "pipeline/metering/extract_options.h"

namespace warpmeter::inline pipeline {

struct BackendChoice {
  std::string name;
  std::string reason;
  bool on_device = false;
  bool is_remark = true;  // the reason is worth a word to people, who may have no GPU and not have thought of one
};

// Looks at what there is; making the device may still fail. Warns of options that have no effect. `input`: its bytes, 0
// if unknown. Throws Error if the wanted backend cannot be had.
BackendChoice choose_backend(const ExtractOptions& options, std::uint64_t input);

// Where GPUs were named and the CPU meters: says why, among the run's warnings, unless it is quiet.
void tell_of_idle_gpu_options(const ExtractOptions& options, const std::string& why);

// Why `input` bytes, 0 if unknown, are not worth a GPU, where `threads` of the CPU start at once. Empty: they are.
std::string why_no_gpu_for(std::uint64_t input, unsigned threads, Method method);

// Bytes for each thread from which on they are.
std::uint64_t worth_a_gpu(Method method);

// One a GPU, all with the same memory blocks. Throws DeviceError. REQUIRES: choose_backend() chose a device.
std::vector<std::unique_ptr<DeviceMeter>> make_devices(const ExtractOptions& options, DeviceMeterOptions device);

// For `warpmeter info`.
bool built_with_cuda();
std::vector<std::string> gpu_lines();  // one a GPU; or one line that says why there is none

}  // namespace warpmeter::inline pipeline
