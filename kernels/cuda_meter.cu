// A GPU as the Engine's device, and the Engine on it. In one unit: nvcc takes seconds for the headers alone.
#include "cuda_device.cuh"
#include "engine.cuh"

namespace warpmeter {
namespace {

// Of the free memory, what is left to others: the driver's own needs, CUB's scratch memory.
constexpr std::size_t kSpareShare = 16;
constexpr std::size_t kLeastSpare = 256 << 20;

int made_current(int gpu) {
  check_cuda(cudaSetDevice(gpu), "set device");
  return gpu;
}

}  // namespace

CudaDevice::Stream::Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
CudaDevice::Stream::~Stream() { cudaStreamDestroy(stream_); }

CudaDevice::CudaDevice(int gpu) : gpu_(made_current(gpu)), pinned_(gpu) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, gpu), "device properties");
  name_ = properties.name;
  // Eight blocks of 256 threads fill a multiprocessor; a few rounds of them even out what tiles take.
  most_blocks_ = static_cast<unsigned>(properties.multiProcessorCount) * 8 * 8;
}

CudaDevice::~CudaDevice() {
  if (scratch_) cudaFree(scratch_);
}

std::size_t CudaDevice::usable_memory() const {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "memory");
  const std::size_t spare = free / kSpareShare > kLeastSpare ? free / kSpareShare : kLeastSpare;
  return free > spare ? free - spare : 0;
}

void* CudaDevice::allocate(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "device memory");
  return memory;
}

// Other threads go on meanwhile: their calls are none of this capture's business.
void CudaDevice::begin_capture() {
  check_cuda(cudaStreamBeginCapture(stream(Queue::compute), cudaStreamCaptureModeThreadLocal), "graph");
}

cudaGraph_t CudaDevice::end_capture() {
  cudaGraph_t captured = nullptr;
  if (cudaStreamEndCapture(stream(Queue::compute), &captured) != cudaSuccess) cudaGetLastError();
  return captured;
}

void CudaDevice::instantiate(Graph& graph) {
  const cudaGraph_t captured = end_capture();
  if (!captured) throw DeviceError("graph: what was captured cannot be one");
  const cudaError_t status = cudaGraphInstantiate(&graph.exec_, captured, 0);
  cudaGraphDestroy(captured);
  check_cuda(status, "graph");
}

void CudaDevice::prepare_sort(std::uint32_t most) {
  scratch_bytes_ = sort_scratch_bytes(most);
  scratch_ = allocate(scratch_bytes_);
}

std::unique_ptr<DeviceMeter> make_cuda_meter(int gpu, const DeviceMeterOptions& options) {
  return std::make_unique<Engine<CudaDevice>>(std::make_unique<CudaDevice>(gpu), options);
}

}  // namespace warpmeter
