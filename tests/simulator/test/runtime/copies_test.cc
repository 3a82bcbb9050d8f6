// Copies and fills: when pinned memory is read and written, and what must not be.
#include <cstring>

#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

using Copies = MachineTest;
using Bytes = std::vector<std::uint8_t>;

TEST_F(Copies, FromPageableMemoryAreOfWhatWasThere) {
  const DeviceBytes memory(4);
  const TestStream stream;
  Bytes host{1, 2, 3, 4};
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.data(), 4, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  host = {9, 9, 9, 9};
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(contents(memory, 4), (Bytes{1, 2, 3, 4}));
  EXPECT_EQ(reports_made(), 0u);
}

TEST_F(Copies, PinnedMemoryMustNotChangeMeanwhile) {
  const DeviceBytes memory(4);
  const TestStream stream;
  const PinnedBytes host(4);
  std::memset(host.get(), 1, 4);
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.get(), 4, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  std::memset(host.get(), 9, 4);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(reports_made(Finding::api), 1u);
}

TEST_F(Copies, WhatComesBackIsThereWhenTheHostHasWaited) {
  const DeviceBytes memory(4);
  const TestStream stream;
  const PinnedBytes host(4);
  ASSERT_EQ(cudaMemset(memory.get(), 7, 4), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  std::memset(host.get(), 7, 4);  // as if it had been there before
  ASSERT_EQ(cudaMemcpyAsync(host.get(), memory.get(), 4, cudaMemcpyDeviceToHost, stream.get()), cudaSuccess);
  EXPECT_NE(host.get()[0], 7);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(host.get()[0], 7);
}

TEST_F(Copies, WhatIsWrongIsReported) {
  const DeviceBytes memory(8);
  std::uint8_t host[16] = {};
  EXPECT_EQ(cudaMemcpy(memory.get(), host, 9, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, host + 8, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(memory.get(), memory.get(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(memory.get() + 4, 0, 5), cudaErrorInvalidValue);
  EXPECT_EQ(reports_made(Finding::api), 4u);
  EXPECT_EQ(cudaMemset(memory.get(), 0, 8), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(memory.get(), memory.get() + 2, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(reports_made(Finding::api), 5u);  // they overlap
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Copies, PinnedMemoryInUseMustNotBeFreed) {
  const DeviceBytes memory(4);
  const TestStream stream;
  void* host = nullptr;
  ASSERT_EQ(cudaMallocHost(&host, 4), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host, 4, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host), cudaSuccess);
  EXPECT_EQ(reports_made(Finding::api), 1u);
}

}  // namespace
}  // namespace cuda_machine::test
