// Graphs of batches: all that a batch asks of the device behind its first kernel, as one call. A launch costs a GPU a
// few microseconds in which it does nothing, a node of a graph a fraction of that; and a batch is two dozen of them.
//
// A graph is captured once, for batches of up to so many segments: there are three sizes, and each batch takes the
// smallest that has room. What is missing is padding, which the first kernel makes: elements without a flow, which
// sorts bring to the end and all others pass over. How many segments there are the kernels read from device memory
// (BatchCounts). Where a batch would be mostly padding it goes without a graph, call by call, as do those of method
// five-tuple, whose tables take turns.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "core/device_meter.h"

namespace warpmeter {

template <class Device>
class BatchGraphs {
 public:
  static constexpr unsigned kSizes = 3, kSizeShare = 4;
  static constexpr std::uint64_t kMostPadding = 4;  // times what there is

  struct Graph {
    std::uint32_t size = 0;  // segments
    typename Device::Graph graph;
  };

  // For batches of at most `most` segments, and before them at most `before`. `work(slot, size)` asks for the work of a
  // batch in that slot; it is captured, and may be called again later. Where that fails, or the device has no graphs,
  // there are none.
  template <class Work>
  void make(Device& device, std::uint32_t before, std::uint32_t most, const Work& work) {
    before_ = before;
    try {
      for (unsigned slot = 0; slot < DeviceMeter::kMostInFlight; ++slot) {
        std::uint32_t size = std::max(most, 1u);
        for (Graph& graph : graphs_[slot]) {
          device.capture(graph.graph, [work, slot, size] { work(slot, size); });
          graph.size = size;
          size = (size + kSizeShare - 1) / kSizeShare;
        }
      }
      made_ = true;
    } catch (const DeviceError& error) {
      why_none_ = error.what();
    }
  }

  // Why they could not be made; empty: they could, or nobody wanted any.
  const std::string& why_none() const { return why_none_; }

  // For a batch of so many segments, with so many before them; null: none.
  const Graph* of(std::uint64_t slot, std::uint32_t before, std::uint32_t count) const {
    if (!made_ || count == 0) return nullptr;
    const Graph* smallest = nullptr;
    for (const Graph& graph : graphs_[slot % DeviceMeter::kMostInFlight]) {
      if (graph.size >= count) smallest = &graph;
    }
    if (!smallest) return nullptr;
    const std::uint64_t there = std::uint64_t{before} + count, padded = std::uint64_t{before_} + smallest->size;
    return padded - there <= kMostPadding * there ? smallest : nullptr;
  }

 private:
  std::array<Graph, kSizes> graphs_[DeviceMeter::kMostInFlight];  // the largest first
  std::uint32_t before_ = 0;
  bool made_ = false;
  std::string why_none_;
};

}  // namespace warpmeter
