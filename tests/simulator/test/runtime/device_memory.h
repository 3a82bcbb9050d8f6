// Memory of the GPU and pinned memory, freed when a test is over.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "simulator/test/machine_test.h"

namespace cuda_machine::test {

class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) { EXPECT_EQ(cudaMalloc(&memory_, bytes), cudaSuccess); }
  ~DeviceBytes() { EXPECT_EQ(cudaFree(memory_), cudaSuccess); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  std::uint8_t* get() const { return static_cast<std::uint8_t*>(memory_); }

 private:
  void* memory_ = nullptr;
};

class PinnedBytes {
 public:
  explicit PinnedBytes(std::size_t bytes) { EXPECT_EQ(cudaMallocHost(&memory_, bytes), cudaSuccess); }
  ~PinnedBytes() { EXPECT_EQ(cudaFreeHost(memory_), cudaSuccess); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::uint8_t* get() const { return static_cast<std::uint8_t*>(memory_); }

 private:
  void* memory_ = nullptr;
};

class TestStream {
 public:
  TestStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~TestStream() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class TestEvent {
 public:
  TestEvent() { EXPECT_EQ(cudaEventCreateWithFlags(&event_, 0), cudaSuccess); }
  ~TestEvent() { EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess); }
  TestEvent(const TestEvent&) = delete;
  TestEvent& operator=(const TestEvent&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

inline std::vector<std::uint8_t> contents(const DeviceBytes& memory, std::size_t bytes) {
  std::vector<std::uint8_t> result(bytes);
  EXPECT_EQ(cudaMemcpy(result.data(), memory.get(), bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  return result;
}

}  // namespace cuda_machine::test
