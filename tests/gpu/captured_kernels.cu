#include "gpu/captured_kernels.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <stdexcept>
#include <utility>

namespace warpmeter::test {
namespace {

constexpr unsigned kBlock = 128;

__global__ void add(std::uint32_t* values, std::uint32_t count, std::uint32_t addend) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] += addend;
}
__global__ void triple(std::uint32_t* values, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 3;
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

struct Parts {
  std::uint32_t* host;
  std::uint32_t* device;
  std::uint32_t count;
  cudaStream_t main, side;
  cudaEvent_t added, tripled;
  std::atomic<unsigned>* told;
};

// Adds in one stream, triples in another that waits for it.
cudaGraph_t capture(const Parts& p, std::uint32_t addend) {
  const unsigned blocks = (p.count + kBlock - 1) / kBlock;
  const std::size_t bytes = p.count * sizeof(std::uint32_t);
  check(cudaStreamBeginCapture(p.main, cudaStreamCaptureModeGlobal));
  check(cudaMemcpyAsync(p.device, p.host, bytes, cudaMemcpyHostToDevice, p.main));
  add<<<blocks, kBlock, 0, p.main>>>(p.device, p.count, addend);
  check(cudaEventRecord(p.added, p.main));
  check(cudaStreamWaitEvent(p.side, p.added, 0));
  triple<<<blocks, kBlock, 0, p.side>>>(p.device, p.count);
  check(cudaEventRecord(p.tripled, p.side));
  check(cudaStreamWaitEvent(p.main, p.tripled, 0));
  check(cudaMemcpyAsync(p.host, p.device, bytes, cudaMemcpyDeviceToHost, p.main));
  check(cudaLaunchHostFunc(
      p.main, [](void* told) { ++*static_cast<std::atomic<unsigned>*>(told); }, p.told));
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(p.main, &graph));
  return graph;
}

void launch(const Parts& p, std::uint32_t captured_addend, std::uint32_t addend, unsigned launches) {
  const cudaGraph_t first = capture(p, captured_addend), second = capture(p, addend);
  cudaGraphExec_t exec = nullptr;
  cudaGraphExecUpdateResultInfo how{};
  check(cudaGraphInstantiate(&exec, first, 0));
  check(cudaGraphExecUpdate(exec, second, &how));
  for (unsigned i = 0; i < launches; ++i) {
    check(cudaGraphLaunch(exec, p.main));
    check(cudaEventRecord(p.added, p.main));
    while (cudaEventQuery(p.added) == cudaErrorNotReady) continue;
    check(cudaEventQuery(p.added));
  }
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(first));
  check(cudaGraphDestroy(second));
}

}  // namespace

CapturedRun run_captured(std::vector<std::uint32_t> values, std::uint32_t captured_addend, std::uint32_t addend,
                         unsigned launches) {
  std::atomic<unsigned> told = 0;
  Parts p{.host = values.data(), .count = static_cast<std::uint32_t>(values.size()), .told = &told};
  const std::size_t bytes = values.size() * sizeof(std::uint32_t);
  check(cudaHostRegister(p.host, bytes, cudaHostRegisterDefault));
  check(cudaMalloc(&p.device, bytes));
  for (cudaStream_t* stream : {&p.main, &p.side}) check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (cudaEvent_t* event : {&p.added, &p.tripled}) check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  launch(p, captured_addend, addend, launches);
  for (cudaEvent_t event : {p.added, p.tripled}) check(cudaEventDestroy(event));
  for (cudaStream_t stream : {p.main, p.side}) check(cudaStreamDestroy(stream));
  check(cudaFree(p.device));
  check(cudaHostUnregister(p.host));
  return {std::move(values), told};
}

}  // namespace warpmeter::test
