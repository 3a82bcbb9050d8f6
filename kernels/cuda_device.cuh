// A GPU as the Engine's device: memory, three streams, launches, tiles of threads. Needs nvcc.
//
// Threads: one thread may use the queues in and compute while another uses out.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <utility>

#include "core/tile.h"
#include "cuda_calls.h"
#include "device_memory.cuh"

namespace warpmeter {

// Tiles of 2 to 32 neighbouring threads of a warp.
template <unsigned kLanes>
class CudaTile {
 public:
  static constexpr unsigned kSize = kLanes;

  __device__ CudaTile() : tile_(cooperative_groups::tiled_partition<kLanes>(cooperative_groups::this_thread_block())) {}

  __device__ unsigned rank() const { return tile_.thread_rank(); }
  __device__ std::uint32_t ballot(bool said) const { return tile_.ballot(said); }
  template <class T>
  __device__ T shfl(T value, unsigned lane) const {
    return tile_.shfl(value, lane);
  }
  __device__ void sync() const { tile_.sync(); }

 private:
  cooperative_groups::thread_block_tile<kLanes> tile_;
};

template <unsigned kLanes>
struct TileOf {
  using Type = CudaTile<kLanes>;
};
template <>
struct TileOf<1> {
  using Type = Tile1;
};

// How many blocks of 256 threads a multiprocessor can hold: 1,024 threads on Turing, 1,536 on the small ones of later
// generations, else 2,048.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
inline constexpr unsigned kMostBlocks = 4;
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ % 100 != 0 || __CUDA_ARCH__ >= 1200)
inline constexpr unsigned kMostBlocks = 6;
#else
inline constexpr unsigned kMostBlocks = 8;
#endif

// How many it shall have room for; a kernel that says nothing (0) may take the registers it likes.
template <class Kernel>
constexpr unsigned blocks_of() {
  if constexpr (requires { Kernel::kBlocks; }) return Kernel::kBlocks < kMostBlocks ? Kernel::kBlocks : kMostBlocks;
  else return 0;
}

// Every kernel is a function object; this is the one way into it. `on_device` may hold a smaller number of items.
template <unsigned kLanes, class Kernel>
__global__ void __launch_bounds__(256, blocks_of<Kernel>())
    run_kernel(const Kernel kernel, std::uint32_t items, const std::uint32_t* on_device) {
  if (on_device && *on_device < items) items = *on_device;
  typename TileOf<kLanes>::Type tile;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x / kLanes;
  for (std::uint64_t i = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanes; i < items; i += step) {
    kernel(tile, static_cast<std::uint32_t>(i));
  }
}

// Memory that is never paged out, which a GPU reads without a detour.
class PinnedMemory : public std::pmr::memory_resource {
 public:
  explicit PinnedMemory(int gpu) : gpu_(gpu) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    check_cuda(cudaSetDevice(gpu_), "set device");  // any thread may ask: whoever decodes lets columns grow
    check_cuda(cudaMallocHost(&memory, bytes), "pinned memory");
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFreeHost(memory); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  const int gpu_;
};

class CudaDevice {
 public:
  static constexpr unsigned kWarp = 32;  // lanes of the largest tile

  using TimePoint = std::chrono::steady_clock::time_point;

  class Event {
   public:
    Event() = default;
    Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
      std::swap(event_, other.event_);
      return *this;
    }
    ~Event() {
      if (event_) cudaEventDestroy(event_);
    }

   private:
    friend class CudaDevice;
    cudaEvent_t event_ = nullptr;  // made when it is first recorded
  };

  // What the queue "compute" was asked for while it was captured, to be asked for again by one call.
  class Graph {
   public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
      if (exec_) cudaGraphExecDestroy(exec_);
    }

   private:
    friend class CudaDevice;
    cudaGraphExec_t exec_ = nullptr;
  };

  // One value in pinned memory.
  template <class T>
  class HostValue {
   public:
    HostValue() = default;
    explicit HostValue(CudaDevice& device) : memory_(&device.pinned_), value_(new (memory_->allocate(sizeof(T))) T()) {}
    HostValue(HostValue&& other) noexcept { *this = std::move(other); }
    HostValue& operator=(HostValue&& other) noexcept {
      std::swap(memory_, other.memory_);
      std::swap(value_, other.value_);
      return *this;
    }
    ~HostValue() {
      if (value_) memory_->deallocate(value_, sizeof(T));
    }
    T* get() const { return value_; }

   private:
    PinnedMemory* memory_ = nullptr;
    T* value_ = nullptr;
  };

  explicit CudaDevice(int gpu);  // throws DeviceError
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string name() const { return name_; }
  std::size_t usable_memory() const;
  std::pmr::memory_resource& host_memory() { return pinned_; }
  void enter_thread() { check_cuda(cudaSetDevice(gpu_), "set device"); }

  void* allocate(std::size_t bytes);
  void release(void* memory) { cudaFree(memory); }

  void copy_in(void* to, const void* from, std::size_t bytes) {
    if (bytes) check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream(Queue::in)), "copy in");
  }
  void copy_out(Queue queue, void* to, const void* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream(queue)), "copy out");
  }
  void fill(void* memory, std::uint8_t byte, std::size_t bytes) {
    if (bytes) check_cuda(cudaMemsetAsync(memory, byte, bytes, stream(Queue::compute)), "fill");
  }

  void prepare_sort(std::uint32_t most);
  void sort(const PairsToSort& pairs, std::uint32_t count, unsigned bits) {
    if (count) sort_pairs_async(scratch_, scratch_bytes_, pairs, count, bits, stream(Queue::compute));
  }

  // A thread an item.
  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t items) {
    launch_tiles<1>(kernel, items, nullptr);
  }
  // A tile of so many lanes an item.
  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t items, unsigned lanes) {
    launch_counted(kernel, items, nullptr, lanes);
  }
  // The same two; `count`, in device memory, says how many of `most` items there are.
  template <class Kernel>
  void launch_counted(const Kernel& kernel, std::uint32_t most, const std::uint32_t* count) {
    launch_tiles<1>(kernel, most, count);
  }
  template <class Kernel>
  void launch_counted(const Kernel& kernel, std::uint32_t most, const std::uint32_t* count, unsigned lanes) {
    switch (lanes) {
      case 1: return launch_tiles<1>(kernel, most, count);
      case 2: return launch_tiles<2>(kernel, most, count);
      case 4: return launch_tiles<4>(kernel, most, count);
      case 8: return launch_tiles<8>(kernel, most, count);
      case 16: return launch_tiles<16>(kernel, most, count);
      case 32: return launch_tiles<32>(kernel, most, count);
      default: throw DeviceError("no such tile size");
    }
  }

  // Whether batches shall be captured as graphs.
  bool has_graphs() const { return true; }
  // What `work` asks of the queue "compute" is not done but kept. REQUIRES: the graph is new.
  template <class Work>
  void capture(Graph& graph, const Work& work) {
    begin_capture();
    try {
      work();
    } catch (...) {
      cudaGraphDestroy(end_capture());
      throw;
    }
    instantiate(graph);
  }
  void launch_graph(const Graph& graph) { check_cuda(cudaGraphLaunch(graph.exec_, stream(Queue::compute)), "graph"); }

  void record(Queue queue, Event& event) {
    if (!event.event_) check_cuda(cudaEventCreateWithFlags(&event.event_, cudaEventBlockingSync), "event");
    check_cuda(cudaEventRecord(event.event_, stream(queue)), "event");
  }
  void wait(Queue queue, const Event& event) {
    if (event.event_) check_cuda(cudaStreamWaitEvent(stream(queue), event.event_), "wait");
  }
  void wait_on_host(const Event& event) { check_cuda(cudaEventSynchronize(event.event_), "kernels"); }
  double seconds_between(const Event& from, const Event& to) const {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, from.event_, to.event_), "event");
    return milliseconds / 1e3;
  }
  TimePoint now() const { return std::chrono::steady_clock::now(); }
  double seconds_since(TimePoint start) const { return std::chrono::duration<double>(now() - start).count(); }

  void finish(Queue queue) { check_cuda(cudaStreamSynchronize(stream(queue)), "kernels"); }
  void finish() noexcept {
    for (const Stream& one : streams_) cudaStreamSynchronize(one.get());
  }

 private:
  static constexpr unsigned kThreads = 256;  // a block

  // Waits for no other stream. Of the GPU that is current when it is made.
  class Stream {
   public:
    Stream();  // throws DeviceError
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    cudaStream_t get() const { return stream_; }

   private:
    cudaStream_t stream_ = nullptr;
  };

  cudaStream_t stream(Queue queue) const { return streams_[static_cast<int>(queue)].get(); }

  void begin_capture();
  cudaGraph_t end_capture();  // null: it was no capture any more
  void instantiate(Graph& graph);

  template <unsigned kLanes, class Kernel>
  void launch_tiles(const Kernel& kernel, std::uint32_t items, const std::uint32_t* on_device) {
    if (items == 0) return;
    const std::uint64_t blocks = (std::uint64_t{items} * kLanes + kThreads - 1) / kThreads;
    const auto grid = static_cast<unsigned>(blocks < most_blocks_ ? blocks : most_blocks_);
    run_kernel<kLanes><<<grid, kThreads, 0, stream(Queue::compute)>>>(kernel, items, on_device);
    check_cuda(cudaGetLastError(), "launch");
  }

  const int gpu_;
  std::string name_;
  unsigned most_blocks_ = 0;
  Stream streams_[kQueues];
  PinnedMemory pinned_;
  void* scratch_ = nullptr;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace warpmeter
