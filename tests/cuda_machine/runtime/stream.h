// A stream: work that is done in order, at a time that the settings choose.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>

namespace cuda_machine {

class Device;
class Stream;

// A place in a stream: behind its first `operations`.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t operations = 0;
};

struct Operation {
  std::function<cudaError_t()> run;  // an error loses the device
  Mark waits_for;                    // this must be done first
  // Bytes of the host that it reads or writes when it runs.
  const void* host = nullptr;
  std::size_t host_bytes = 0;
};

class Stream {
 public:
  Stream(Device& device_, bool blocking_) : device(device_), blocking(blocking_) {}

  Device& device;
  const bool blocking;  // waits for the default stream, and the other way round

  // Where it stands behind the operation.
  Mark add(Operation operation);
  Mark end() { return {this, added_}; }
  bool has_done(std::uint64_t operations) const { return done_ >= operations; }
  bool idle() const { return done_ == added_; }
  // Does the first so many operations, and what they wait for.
  void run_to(std::uint64_t operations);
  void run_one() { run_to(done_ + 1); }
  void finish() { run_to(added_); }
  // Work that has not been done uses some of these bytes of the host.
  bool uses(const void* host, std::size_t bytes) const;

 private:
  std::uint64_t added_ = 0, done_ = 0;
  std::deque<Operation> waiting_;
};

}  // namespace cuda_machine
