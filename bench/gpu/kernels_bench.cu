// The kernels bench on a GPU, and how fast batches get there: kernels_bench [--smoke]
#include <cstdio>
#include <cstring>

#include "cuda_device.cuh"
#include "kernels_bench.cuh"

namespace warpmeter::bench {
namespace {

// Pinned memory to the device, as batches go.
void measure_copy(CudaDevice& device, std::size_t bytes) {
  auto& pinned = device.host_memory();
  void* from = pinned.allocate(bytes);
  std::memset(from, 1, bytes);
  const DeviceArray<CudaDevice, char> to(device, bytes);
  CudaDevice::Event begin, end;
  double best = 1e9;
  for (int r = 0; r < 6; ++r) {
    device.record(Queue::in, begin);
    device.copy_in(to.data(), from, bytes);
    device.record(Queue::in, end);
    device.wait_on_host(end);
    if (r) best = std::min(best, device.seconds_between(begin, end));
  }
  pinned.deallocate(from, bytes);
  constexpr double kSegmentBytes = sizeof(PackedSegment);
  std::printf("host to device, %zu MiB pinned: %.1f GB/s = %.2f G segments/s of %.0f bytes\n\n", bytes >> 20,
              bytes / best / 1e9, bytes / best / kSegmentBytes / 1e9, kSegmentBytes);
}

}  // namespace
}  // namespace warpmeter::bench

int main(int argc, char** argv) {
  using namespace warpmeter;
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  using Device = bench::TimedDevice<CudaDevice>;
  const auto make_device = [] { return std::make_unique<Device>(0); };
  try {
    const auto device = make_device();
    std::printf("%s\n\n", device->name().c_str());
    bench::measure_copy(*device, smoke ? 1 << 20 : 96 << 20);
    bench::run_kernels_bench(make_device, smoke ? bench::smoke_values() : bench::KernelsBenchOptions());
  } catch (const Error& error) {
    std::fprintf(stderr, "kernels_bench: %s\n", error.what());
    return 1;
  }
}
