// What all calls of the CUDA runtime share: the GPUs, pinned memory, and one lock.
//
// Source of what calls do: NVIDIA, "CUDA Runtime API", version 13. Calls that our code does not make are missing: a
// program that makes one does not link.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "simulator/memory.h"
#include "simulator/runtime/device.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/host_functions.h"
#include "simulator/settings.h"

namespace cuda_machine {

class Runtime {
 public:
  std::recursive_mutex mutex;  // held by every call
  StreamOrder order;
  std::vector<std::unique_ptr<Device>> devices;
  AddressSpace pinned;
  std::set<std::uint64_t> registered;  // addresses of these that the program got elsewhere
  std::vector<std::unique_ptr<Capture>> captures;
  std::size_t graphs = 0;  // that can be launched, and were not destroyed
  HostFunctions host_functions;
  Random random;

  Runtime();
  Device& current();
  // The device in whose memory the address lies, or null.
  Device* owner_of(std::uint64_t address);
  // Work that has not been done reads or writes some of these bytes of the host.
  bool uses(const void* host, std::size_t bytes) const;
  // Some work may be done now, if work is done at random.
  void do_some_work();
};

Runtime& runtime();

// The calling thread's.
int& current_device();
cudaError_t& last_error();

// Returns `status`, and keeps it for cudaGetLastError().
cudaError_t said(cudaError_t status);

void misuse(const std::string& sentence);  // a report (Finding::api)

// A call holds the lock.
class Call {
 public:
  Call();

 private:
  const std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace cuda_machine

#define CUDA_MACHINE_CALL const cuda_machine::Call call_
