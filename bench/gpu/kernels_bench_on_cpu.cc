// The kernels bench with small values on the CPU: shows that it works, measures nothing.
#include "kernels/host_device.h"
#include "kernels_bench.cuh"

int main() {
  using namespace warpmeter;
  test::HostDevice device(test::HostDeviceOptions{});
  bench::KernelsBench<test::HostDevice>(device, {256, 1}).run();
}
