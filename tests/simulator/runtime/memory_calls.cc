// cudaMalloc, cudaFree, cudaMallocHost, cudaFreeHost, cudaHostRegister, cudaHostUnregister, cudaMemGetInfo.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simulator/runtime/failures.h"
#include "simulator/runtime/runtime.h"

using namespace cuda_machine;

namespace {

constexpr std::size_t kMostFilled = 4 << 20;

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

// What a real driver would write or read after the memory is gone.
void check_not_in_use(const void* host, std::size_t bytes, const char* what) {
  if (runtime().uses(host, bytes)) misuse(std::string(what) + " while a copy uses it");
}

}  // namespace

extern "C" cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  CUDA_MACHINE_CALL;
  Device& device = runtime().current();
  if (device.lost) return said(device.lost);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  Allocation* const allocation = must_fail("malloc") ? nullptr : device.allocate(bytes);
  if (!allocation) return said(cudaErrorMemoryAllocation);
  *pointer = reinterpret_cast<void*>(allocation->address());
  if (OperationLog* const log = OperationLog::wanted())
    log->allocated(MemoryKind::device, allocation->address(), bytes);
  return cudaSuccess;
}

extern "C" cudaError_t cudaFree(void* pointer) {
  CUDA_MACHINE_CALL;
  if (!pointer) return cudaSuccess;
  Device* const device = runtime().owner_of(address_of(pointer));
  if (device && device->release(address_of(pointer))) {
    if (OperationLog* const log = OperationLog::wanted()) log->freed(MemoryKind::device, address_of(pointer));
    return said(device->lost);
  }
  misuse("cudaFree of what is no allocation, or not any more");
  return said(cudaErrorInvalidValue);
}

extern "C" cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  CUDA_MACHINE_CALL;
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  constexpr std::size_t kPage = 4096;
  void* const memory =
      must_fail("host_malloc") ? nullptr : std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (!memory) return said(cudaErrorMemoryAllocation);
  std::memset(memory, 0xb7, std::min(bytes, kMostFilled));
  runtime().pinned.add(std::make_unique<Allocation>(static_cast<std::uint8_t*>(memory), bytes));
  if (OperationLog* const log = OperationLog::wanted()) log->allocated(MemoryKind::pinned, address_of(memory), bytes);
  *pointer = memory;
  return cudaSuccess;
}

extern "C" cudaError_t cudaFreeHost(void* pointer) {
  CUDA_MACHINE_CALL;
  if (!pointer) return cudaSuccess;
  const Allocation* const allocation = runtime().pinned.find(address_of(pointer));
  const bool is_registered = runtime().registered.contains(address_of(pointer));
  if (!allocation || allocation->address() != address_of(pointer) || is_registered) {
    misuse("cudaFreeHost of what is not pinned, or not any more");
    return said(cudaErrorInvalidValue);
  }
  check_not_in_use(pointer, allocation->bytes(), "pinned memory is freed");
  for (const auto& device : runtime().devices) device->finish();
  if (OperationLog* const log = OperationLog::wanted()) log->freed(MemoryKind::pinned, address_of(pointer));
  std::memset(pointer, 0xdd, std::min(allocation->bytes(), kMostFilled));  // who still reads it shall notice
  runtime().pinned.remove(address_of(pointer));
  std::free(pointer);
  return cudaSuccess;
}

extern "C" cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  CUDA_MACHINE_CALL;
  if (!pointer || bytes == 0) return said(cudaErrorInvalidValue);
  const std::uint64_t begin = address_of(pointer);
  if (runtime().pinned.any_in(begin, bytes)) return said(cudaErrorHostMemoryAlreadyRegistered);
  if (must_fail("host_register")) return said(cudaErrorMemoryAllocation);
  runtime().pinned.add(std::make_unique<Allocation>(static_cast<std::uint8_t*>(pointer), bytes));
  runtime().registered.insert(begin);
  if (OperationLog* const log = OperationLog::wanted()) log->allocated(MemoryKind::registered, begin, bytes);
  return cudaSuccess;
}

extern "C" cudaError_t cudaHostUnregister(void* pointer) {
  CUDA_MACHINE_CALL;
  if (!runtime().registered.contains(address_of(pointer))) {
    misuse("cudaHostUnregister of what is not registered, or not any more");
    return said(cudaErrorHostMemoryNotRegistered);
  }
  check_not_in_use(pointer, runtime().pinned.find(address_of(pointer))->bytes(), "registered memory is let go");
  if (OperationLog* const log = OperationLog::wanted()) log->freed(MemoryKind::registered, address_of(pointer));
  runtime().pinned.remove(address_of(pointer));
  runtime().registered.erase(address_of(pointer));
  return cudaSuccess;
}

extern "C" cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  CUDA_MACHINE_CALL;
  *total = settings().memory;
  *free = settings().memory - runtime().current().used;
  return said(runtime().current().lost);
}
