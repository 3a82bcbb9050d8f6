// Memory of a GPU: how much there is, what must not be freed, what is left at the end.
#include <cstdlib>

#include "simulator/test/runtime/device_memory.h"

namespace cuda_machine::test {
namespace {

using MemoryCalls = MachineTest;

TEST_F(MemoryCalls, ThereIsNoMoreThanThereIs) {
  settings().memory = 1 << 20;
  std::size_t free = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(total, std::size_t{1} << 20);
  EXPECT_EQ(free, total);
  const DeviceBytes half(1 << 19);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, (1 << 19) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(memory, nullptr);
  ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  EXPECT_EQ(free, total / 2);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(MemoryCalls, WhatIsNoAllocationIsNotFreed) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 100), cudaSuccess);
  EXPECT_EQ(cudaFree(static_cast<char*>(memory) + 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaErrorInvalidValue);
  int host = 0;
  EXPECT_EQ(cudaFreeHost(&host), cudaErrorInvalidValue);
  EXPECT_EQ(reports_made(Finding::api), 3u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(MemoryCalls, TheNthCallFailsIfItIsTo) {
  settings().fail = "malloc:2";
  void *first = nullptr, *second = nullptr, *third = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 1), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&third, 1), cudaSuccess);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(third), cudaSuccess);
  settings().fail = "stream:1";
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaErrorMemoryAllocation);
  settings().fail = "host_malloc:1";
  EXPECT_EQ(cudaMallocHost(&first, 1), cudaErrorMemoryAllocation);
  settings().fail = "event:1";
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, 0), cudaErrorMemoryAllocation);
  EXPECT_EQ(reports_made(), 0u);
  cudaGetLastError();
}

TEST_F(MemoryCalls, WhatIsLeftAtTheEndFailsTheProcess) {
  EXPECT_EXIT(
      {
        void* memory = nullptr;
        cudaMalloc(&memory, 100);
        std::exit(0);
      },
      testing::ExitedWithCode(kExitAfterReports), "1 allocations were never freed");
  EXPECT_EXIT(
      {
        cudaStream_t stream = nullptr;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        std::exit(0);
      },
      testing::ExitedWithCode(kExitAfterReports), "1 streams were never destroyed");
  EXPECT_EXIT(std::exit(0), testing::ExitedWithCode(0), "");
}

TEST_F(MemoryCalls, MemoryOfTheProgramIsPinnedWhileItIsRegistered) {
  std::vector<std::uint8_t> host(64, 3);
  const DeviceBytes memory(64);
  const TestStream stream;
  ASSERT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host.data() + 8, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaGetLastError(), cudaErrorHostMemoryAlreadyRegistered);
  // As of pinned memory, what is there when the copy is made counts.
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.data(), 64, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  host[0] = 4;
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(reports_made(Finding::api), 1u);
  EXPECT_EQ(contents(memory, 1), std::vector<std::uint8_t>{4});
  ASSERT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.data(), 64, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  host[0] = 5;
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(contents(memory, 1), std::vector<std::uint8_t>{4});
  EXPECT_EQ(reports_made(Finding::api), 1u);
}

TEST_F(MemoryCalls, WrongUseOfRegisteredMemoryIsReported) {
  std::vector<std::uint8_t> host(64);
  const DeviceBytes memory(64);
  const TestStream stream;
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(reports_made(Finding::api), 1u);
  ASSERT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(reports_made(Finding::api), 2u);
  ASSERT_EQ(cudaMemcpyAsync(memory.get(), host.data(), 64, cudaMemcpyHostToDevice, stream.get()), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  EXPECT_EQ(reports_made(Finding::api), 3u);
  ASSERT_EQ(cudaStreamSynchronize(stream.get()), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(nullptr, 1, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_F(MemoryCalls, RegisteringFailsWhereTheSettingsSaySo) {
  std::vector<std::uint8_t> host(64);
  settings().fail = "host_register:1";
  EXPECT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaHostRegister(host.data(), host.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  cudaGetLastError();
}

}  // namespace
}  // namespace cuda_machine::test
