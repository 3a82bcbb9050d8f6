// The kernels bench with small values on the CPU: shows that it works, measures nothing.
#include "kernels/tiled_kernels.h"
#include "kernels_bench.cuh"

int main() {
  using namespace warpmeter;
  using Device = bench::TimedDevice<test::HostDevice>;
  bench::run_kernels_bench([] { return std::make_unique<Device>(test::HostDeviceOptions{}); }, bench::smoke_values());
}
