// Which backend meters, and why.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/extract_options.h"
#include "warpmeter/device_meter.h"

namespace warpmeter {

struct BackendChoice {
  std::string name;
  std::string reason;
  bool on_device = false;
};

// Looks at what there is; making the device may still fail. Throws Error if the wanted backend cannot be had.
BackendChoice choose_backend(const ExtractOptions& options);

// Throws DeviceError. REQUIRES: choose_backend() chose a device.
std::unique_ptr<DeviceMeter> make_device(const ExtractOptions& options, const DeviceMeterOptions& device);

// For `warpmeter info`.
bool built_with_cuda();
std::vector<std::string> gpu_lines();  // one a GPU; or one line that says why there is none

}  // namespace warpmeter
