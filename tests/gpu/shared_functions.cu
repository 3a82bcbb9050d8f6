#include "gpu/shared_functions.h"

#include <cuda_runtime_api.h>

#include <stdexcept>

namespace warpmeter::test {
namespace {

constexpr unsigned kBlock = 128;

__global__ void meter_flows(MeteredFlow* flows, const Segment* segments, std::uint32_t count, Timeouts timeouts) {
  const std::uint32_t flow = blockIdx.x * blockDim.x + threadIdx.x;
  if (flow < count) meter_flow(flows[flow], segments + flow * kSegmentsPerFlow, kSegmentsPerFlow, timeouts);
}

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

}  // namespace

std::vector<MeteredFlow> meter_on_gpu(std::span<const Segment> segments, const Timeouts& timeouts) {
  const auto count = static_cast<std::uint32_t>(segments.size() / kSegmentsPerFlow);
  std::vector<MeteredFlow> flows(count);
  Segment* device_segments = nullptr;
  MeteredFlow* device_flows = nullptr;
  check(cudaMalloc(&device_segments, segments.size_bytes()));
  check(cudaMalloc(&device_flows, count * sizeof(MeteredFlow)));
  check(cudaMemcpy(device_segments, segments.data(), segments.size_bytes(), cudaMemcpyHostToDevice));
  check(cudaMemset(device_flows, 0, count * sizeof(MeteredFlow)));
  meter_flows<<<(count + kBlock - 1) / kBlock, kBlock>>>(device_flows, device_segments, count, timeouts);
  check(cudaGetLastError());
  check(cudaMemcpy(flows.data(), device_flows, count * sizeof(MeteredFlow), cudaMemcpyDeviceToHost));
  check(cudaFree(device_flows));
  check(cudaFree(device_segments));
  return flows;
}

}  // namespace warpmeter::test
