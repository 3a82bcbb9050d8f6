// The kernels bench: inserts by load factor, whole batches, and what is seldom done. A template over the device: the
// bench proper runs on a GPU, its smoke values on the CPU, so that it works when there is one.
#pragma once

#include "batch_bench.cuh"
#include "insert_bench.cuh"
#include "rehash_bench.cuh"

namespace warpmeter::bench {

struct KernelsBenchOptions {
  InsertBenchOptions insert;
  BatchBenchOptions batch;
  std::uint32_t flows = 1 << 26;  // of the rehash bench
  unsigned repeat = 4;
};

inline KernelsBenchOptions smoke_values() {
  return {.insert = {.slots = 256, .repeat = 1},
          .batch = {.segments = 1024,
                    .batches = {256, 512},
                    .pieces = {16, 64},
                    .lanes = {1, 4, 32},
                    .repeat = 1,
                    .flows = 2048,
                    .hole_units = 1024,
                    .block = 1024,
                    .memory = 100 << 20},
          .flows = 1000,
          .repeat = 1};
}

// `make_device` gives a std::unique_ptr<Device>, another one each time.
template <class MakeDevice>
void run_kernels_bench(const MakeDevice& make_device, const KernelsBenchOptions& options) {
  using Device = typename decltype(make_device())::element_type;
  // The figures that count come first, should time be short.
  BatchBench<Device, MakeDevice>(make_device, options.batch).run();
  const auto device = make_device();
  RehashBench<Device>(*device, options.flows, options.repeat).run();
  InsertBench<Device>(*device, options.insert).run();
}

}  // namespace warpmeter::bench
