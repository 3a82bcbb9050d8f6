// Launches, and what is asked about kernels before.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "simulator/finding.h"
#include "simulator/launch.h"
#include "simulator/launch_counts.h"
#include "simulator/runtime/failures.h"
#include "simulator/runtime/fat_binary.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/stream_handle.h"

using namespace cuda_machine;

namespace {

constexpr unsigned kMostThreads = 1024, kMostShared = 48 << 10, kMostBlocksAcross = 65535, kMostBlocks = 0x7fffffff;
constexpr unsigned kThreadsOfMultiprocessor = 2048, kSharedOfMultiprocessor = 100 << 10;

// What <<<...>>> says, until the launch takes it.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

bool is_possible(const Kernel& kernel, dim3 grid, dim3 block, std::size_t shared) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  return grid.x && grid.y && grid.z && grid.x <= kMostBlocks && grid.y <= kMostBlocksAcross &&
         grid.z <= kMostBlocksAcross && threads &&
         threads <= (kernel.most_threads ? kernel.most_threads : kMostThreads) &&
         shared + kernel.shared_bytes <= kMostShared;
}

std::vector<std::uint8_t> parameters_of(const Kernel& kernel, void** arguments) {
  std::vector<std::uint8_t> bytes(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    std::memcpy(bytes.data() + kernel.parameters[i].offset, arguments[i], kernel.parameters[i].size);
  }
  return bytes;
}

cudaError_t run_now(Launch& wanted, Work work) {
  wanted.work = work;
  try {
    run(wanted);
    return cudaSuccess;
  } catch (const KernelFault&) {
    return cudaErrorIllegalAddress;
  }
}

// Each time with what it was given once.
cudaError_t give_launch(Stream& stream, const Launch& given) {
  if (stream.device.lost) return stream.device.lost;
  const bool fails = must_fail("launch");
  if (given.counts) ++given.counts->streams.launches;
  auto wanted = std::make_shared<Launch>(given);
  stream.add({.kind = OperationKind::launch,
              .what = given.kernel->name,
              .run = [=](Work work) { return fails ? cudaErrorIllegalAddress : run_now(*wanted, work); },
              .waits_for = {}});
  return cudaSuccess;
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t handle) {
  cudaError_t error = cudaSuccess;
  const Kernel* const kernel = kernel_of(function, error);
  if (!kernel) return error;
  Stream* const stream = stream_of(handle);
  if (!stream) return cudaErrorInvalidResourceHandle;
  if (&stream->device != &runtime().current()) {
    misuse("a launch in a stream of another GPU than the current one");
    return cudaErrorInvalidResourceHandle;
  }
  if (stream->device.lost) return stream->device.lost;
  if (!is_possible(*kernel, grid, block, shared)) {
    misuse("a launch that is not possible: grid, block or shared memory are too large, or nothing");
    return cudaErrorInvalidConfiguration;
  }
  Launch wanted;
  wanted.kernel = kernel;
  wanted.grid = {grid.x, grid.y, grid.z};
  wanted.block = {block.x, block.y, block.z};
  wanted.dynamic_shared = static_cast<unsigned>(shared);
  wanted.parameters = parameters_of(*kernel, arguments);
  wanted.memory = &stream->device.memory;
  wanted.pinned = &runtime().pinned;
  wanted.order = &runtime().order;
  wanted.counts = LaunchCounts::instance();
  Capture* const capture = capture_of(*stream);
  if (!capture) return give_launch(*stream, wanted);
  const auto give = [wanted](Stream& later) { return give_launch(later, wanted); };
  return capture->add(*stream, OperationKind::launch, give);
}

}  // namespace

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, struct CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations().empty()) return said(cudaErrorMissingConfiguration);
  const Configuration last = configurations().back();
  configurations().pop_back();
  *grid = last.grid, *block = last.block, *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

extern "C" cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  CUDA_MACHINE_CALL;
  return said(launch(function, grid, block, arguments, shared, stream));
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                          std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}

extern "C" cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  CUDA_MACHINE_CALL;
  cudaError_t error = cudaSuccess;
  const Kernel* const kernel = kernel_of(function, error);
  if (!kernel) return said(error);
  *attributes = {};
  attributes->sharedSizeBytes = kernel->shared_bytes;
  attributes->localSizeBytes = kernel->local_bytes;
  attributes->maxThreadsPerBlock = static_cast<int>(kernel->most_threads ? kernel->most_threads : kMostThreads);
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = static_cast<int>(settings().architecture);
  return cudaSuccess;
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                              int threads, std::size_t shared,
                                                                              unsigned) {
  CUDA_MACHINE_CALL;
  cudaError_t error = cudaSuccess;
  const Kernel* const kernel = kernel_of(function, error);
  if (!kernel) return said(error);
  const std::size_t bytes = kernel->shared_bytes + shared;
  const auto by_threads = kThreadsOfMultiprocessor / static_cast<unsigned>(std::max(threads, 1));
  const auto by_shared = bytes ? static_cast<unsigned>(kSharedOfMultiprocessor / bytes) : by_threads;
  *blocks = static_cast<int>(std::min(by_threads, by_shared));
  return cudaSuccess;
}
