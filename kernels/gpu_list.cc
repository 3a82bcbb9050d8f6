#include "core/device_meter.h"

#include <cuda_runtime_api.h>

namespace warpmeter {

namespace {

std::string why_none(cudaError_t status) {
  if (status == cudaSuccess || status == cudaErrorNoDevice) return "no NVIDIA GPU";
  int driver = 0, runtime = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || cudaRuntimeGetVersion(&runtime) != cudaSuccess) driver = runtime;
  const bool about_driver = status == cudaErrorInsufficientDriver || driver == 0;
  if (const auto why = why_no_driver(driver, runtime); why && about_driver) return *why;
  return std::string("no GPU that works: ") + cudaGetErrorString(status);
}

}  // namespace

GpuList list_gpus() {
  GpuList list;
  int count = 0;
  cudaError_t status = cudaGetDeviceCount(&count);
  for (int i = 0; status == cudaSuccess && i < count; ++i) {
    cudaDeviceProp properties{};
    status = cudaGetDeviceProperties(&properties, i);
    if (status == cudaSuccess) {
      list.gpus.push_back({properties.name, properties.major, properties.minor, properties.totalGlobalMem});
    }
  }
  if (list.gpus.empty()) list.error = why_none(status);
  return list;
}

}  // namespace warpmeter
