// Which GPUs there are, and what they are like; errors.
#include <cstdio>
#include <cstring>
#include <map>

#include "simulator/runtime/runtime.h"

using namespace cuda_machine;

namespace {

constexpr int kThreadsOfMultiprocessor = 2048;
constexpr int kSharedOfMultiprocessor = 100 << 10, kSharedOfBlock = 48 << 10;

}  // namespace

extern "C" cudaError_t cudaGetDeviceCount(int* count) {
  CUDA_MACHINE_CALL;
  *count = static_cast<int>(runtime().devices.size());
  return said(*count ? cudaSuccess : cudaErrorNoDevice);
}

extern "C" cudaError_t cudaSetDevice(int number) {
  CUDA_MACHINE_CALL;
  if (number < 0 || number >= static_cast<int>(runtime().devices.size())) return said(cudaErrorInvalidDevice);
  current_device() = number;
  return cudaSuccess;
}

extern "C" cudaError_t cudaGetDevice(int* number) {
  *number = current_device();
  return cudaSuccess;
}

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  CUDA_MACHINE_CALL;
  if (number < 0 || number >= static_cast<int>(runtime().devices.size())) return said(cudaErrorInvalidDevice);
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "CUDA machine in software");
  properties->totalGlobalMem = settings().memory;
  properties->major = static_cast<int>(settings().architecture / 10);
  properties->minor = static_cast<int>(settings().architecture % 10);
  properties->multiProcessorCount = static_cast<int>(settings().multiprocessors);
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = kThreadsOfMultiprocessor;
  properties->sharedMemPerBlock = kSharedOfBlock;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const std::map<cudaDeviceAttr, int> known = {
      {cudaDevAttrMultiProcessorCount, static_cast<int>(settings().multiprocessors)},
      {cudaDevAttrComputeCapabilityMajor, static_cast<int>(settings().architecture / 10)},
      {cudaDevAttrComputeCapabilityMinor, static_cast<int>(settings().architecture % 10)},
      {cudaDevAttrMaxGridDimX, 0x7fffffff},
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsOfMultiprocessor},
      {cudaDevAttrMaxSharedMemoryPerBlock, kSharedOfBlock},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedOfBlock},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedOfMultiprocessor},
      {cudaDevAttrWarpSize, 32},
  };
  const auto found = known.find(attribute);
  if (found == known.end()) {
    misuse("device attribute " + std::to_string(attribute) + ", which the machine does not know");
    return said(cudaErrorInvalidValue);
  }
  *value = found->second;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

extern "C" cudaError_t cudaPeekAtLastError() {
  CUDA_MACHINE_CALL;
  return last_error() ? last_error() : runtime().current().lost;
}

extern "C" cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error() = cudaSuccess;
  return error;
}

extern "C" const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    case cudaErrorInvalidDeviceFunction: return "invalid device function";
    case cudaErrorNoKernelImageForDevice: return "no kernel image is available for execution on the device";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorNotReady: return "device not ready";
    default: return "unknown error";
  }
}
