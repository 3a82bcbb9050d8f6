// A GPU: its memory, its streams, and whether it is lost.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/memory.h"
#include "simulator/runtime/stream.h"

namespace cuda_machine {

class Device {
 public:
  // `order` stays.
  Device(int number, StreamOrder& order);

  const int number;
  StreamOrder& order;  // of the work of all GPUs
  AddressSpace memory;
  std::uint64_t used = 0;          // bytes
  cudaError_t lost = cudaSuccess;  // why: all calls return it from then on

  // Null where there is no room.
  Allocation* allocate(std::size_t bytes);
  // False: no allocation begins there. All work is done before.
  bool release(std::uint64_t address);

  Stream& default_stream() { return *streams_.front(); }
  Stream& add_stream(bool blocking);
  // Does its work first. It must be one of this device's.
  void destroy(Stream& stream);
  bool has(const Stream* stream) const;
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }
  // Does all work of all streams.
  void finish();
  void finish_blocking();

 private:
  std::uint64_t next_address_;
  std::vector<std::unique_ptr<Stream>> streams_, destroyed_;  // events may still name those that are destroyed
};

}  // namespace cuda_machine
