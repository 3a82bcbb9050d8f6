// A device that is the CPU itself, for the Engine: tiles of one lane run in several threads at once, larger ones as
// fibers (fiber_tile.h). Queues have no length: everything happens when it is asked for. Memory that the kernels get is
// filled with rubbish first, and an operation can be made to fail.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/device_meter.h"
#include "device_memory.cuh"
#include "kernels/fiber_tile.h"

namespace warpmeter::test {

struct HostDeviceOptions {
  unsigned threads = 1;          // for kernels of one lane
  std::uint64_t seed = 1;        // of the order of lanes
  std::size_t memory = 1 << 28;  // bytes
  std::uint64_t fails_at = 0;    // the operation, counted from 1, that throws DeviceError, as all after it; 0 = none
  unsigned tiles = 3;            // of larger tiles: how many are under way at a time
  enum class Graphs : std::uint8_t { some, none, fail } graphs = Graphs::some;
  std::atomic<std::uint64_t>* graph_launches = nullptr;  // counted here
};

class HostDevice {
 public:
  // Fibers are slow: no more lanes than it takes to see that they share a place.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  static constexpr unsigned kWarp = 1;
#else
  static constexpr unsigned kWarp = 4;
#endif

  struct Event {};
  using TimePoint = int;

  class Graph {
   public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;

   private:
    friend class HostDevice;
    std::function<void()> work_;
  };

  template <class T>
  class HostValue {
   public:
    HostValue() = default;
    explicit HostValue(HostDevice&) : value_(std::make_unique<T>()) {}
    T* get() const { return value_.get(); }

   private:
    std::unique_ptr<T> value_;
  };

  explicit HostDevice(const HostDeviceOptions& options) : options_(options), seeds_(options.seed) {}

  std::string name() const { return "CPU as device"; }
  std::size_t usable_memory() const { return options_.memory; }
  std::pmr::memory_resource& host_memory() { return *std::pmr::new_delete_resource(); }
  void enter_thread() {}

  void* allocate(std::size_t bytes) {
    operation();
    if (bytes > options_.memory - allocated_) throw DeviceError("out of device memory");
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
    std::memset(memory, 0xa5, bytes);
    allocated_ += bytes;
    return memory;
  }
  void release(void* memory) { std::free(memory); }

  void copy_in(void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void copy_out(Queue, void* to, const void* from, std::size_t bytes) { copy(to, from, bytes); }
  void fill(void* memory, std::uint8_t byte, std::size_t bytes) {
    operation();
    if (bytes) std::memset(memory, byte, bytes);
  }

  void prepare_sort(std::size_t) {}
  // Stable, by the lowest `bits` of the keys.
  void sort(const PairsToSort& pairs, std::uint32_t count, unsigned bits) {
    operation();
    const std::uint32_t mask = bits == 32 ? UINT32_MAX : (std::uint32_t{1} << bits) - 1;
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return (pairs.key[a] & mask) < (pairs.key[b] & mask); });
    for (std::uint32_t i = 0; i < count; ++i) {
      pairs.sorted_key[i] = pairs.key[order[i]];
      pairs.sorted_value[i] = pairs.value[order[i]];
    }
  }

  // Two functions, since most kernels are for tiles of one lane: those are not compiled for all the other sizes.
  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t count) {
    operation();
    in_threads(kernel, count);
  }
  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t count, unsigned tile) {
    operation();
    switch (tile) {
      case 1:
        return in_threads(kernel, count);
        // What of these a build tests: tile_sizes.h.
#if !defined(__SANITIZE_THREAD__)
      case 4: return in_fibers<4>(kernel, count);
#if !defined(__SANITIZE_ADDRESS__)
      case 2: return in_fibers<2>(kernel, count);
      case 8: return in_fibers<8>(kernel, count);
      case 16: return in_fibers<16>(kernel, count);
      case 32: return in_fibers<32>(kernel, count);
#endif
#endif
      default: throw DeviceError("no such tile size");
    }
  }
  template <class Kernel, class... Tile>
  void launch_counted(const Kernel& kernel, std::uint32_t most, const std::uint32_t* count, Tile... tile) {
    launch(kernel, std::min(most, *count), tile...);
  }

  bool has_graphs() const { return options_.graphs != HostDeviceOptions::Graphs::none; }
  // Where a device would keep what it is asked for, this keeps the function that asks, which must stay valid.
  template <class Work>
  void capture(Graph& graph, const Work& work) {
    operation();
    if (options_.graphs == HostDeviceOptions::Graphs::fail) throw DeviceError("no memory for graphs");
    graph.work_ = work;
  }
  void launch_graph(const Graph& graph) {
    operation();
    if (options_.graph_launches) ++*options_.graph_launches;
    graph.work_();
  }

  void record(Queue, Event&) { operation(); }
  void wait(Queue, const Event&) {}
  void wait_on_host(const Event&) { operation(); }
  double seconds_between(const Event&, const Event&) const { return 0; }
  TimePoint now() const { return 0; }
  double seconds_since(TimePoint) const { return 0; }
  void finish() {}
  void finish(Queue) {}

 private:
  void operation() {
    const std::uint64_t number = ++operations_;
    if (options_.fails_at && number >= options_.fails_at) throw DeviceError("the device was lost");
  }

  void copy(void* to, const void* from, std::size_t bytes) {
    operation();
    if (bytes) std::memcpy(to, from, bytes);
  }

  template <class Kernel>
  void in_threads(const Kernel& kernel, std::uint32_t count) {
    std::atomic<std::uint32_t> next = 0;
    const auto work = [&] {
      Tile1 tile;
      for (std::uint32_t i = next++; i < count; i = next++) kernel(tile, i);
    };
    std::vector<std::jthread> helpers;
    for (unsigned t = 1; t < options_.threads && count >= kWorthThreads; ++t) helpers.emplace_back(work);
    work();
  }

  template <unsigned kLanes, class Kernel>
  void in_fibers(const Kernel& kernel, std::uint32_t count) {
    run_in_fibers<kLanes>(kernel, count, options_.tiles, seeds_++);
  }

  static constexpr std::uint32_t kWorthThreads = 64;

  const HostDeviceOptions options_;
  std::atomic<std::uint64_t> operations_ = 0;
  std::atomic<std::size_t> allocated_ = 0;
  std::uint64_t seeds_;
};

}  // namespace warpmeter::test
