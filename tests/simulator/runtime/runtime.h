// What all calls of the CUDA runtime share: the GPUs, pinned memory, and one lock.
//
// Source of what calls do: NVIDIA, "CUDA Runtime API", version 13. Calls that our code does not make are missing: a
// program that makes one does not link.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simulator/memory.h"
#include "simulator/runtime/device.h"
#include "simulator/settings.h"

namespace cuda_machine {

class Runtime {
 public:
  std::recursive_mutex mutex;  // held by every call
  StreamOrder order;
  std::vector<std::unique_ptr<Device>> devices;
  AddressSpace pinned;
  Random random;

  Runtime();
  Device& current();
  // The device in whose memory the address lies, or null.
  Device* owner_of(std::uint64_t address);
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

}  // namespace cuda_machine

#define CUDA_MACHINE_CALL const std::lock_guard<std::recursive_mutex> lock_(cuda_machine::runtime().mutex)
