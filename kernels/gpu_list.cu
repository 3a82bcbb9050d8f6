#include "warpmeter/gpu_list.h"

#include <cuda_runtime_api.h>

namespace warpmeter {

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
  if (list.gpus.empty()) list.error = status == cudaSuccess ? "no CUDA device" : cudaGetErrorString(status);
  return list;
}

}  // namespace warpmeter
