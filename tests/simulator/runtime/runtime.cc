#include "simulator/runtime/runtime.h"

#include "simulator/finding.h"

namespace cuda_machine {
namespace {

std::size_t left_allocated() {
  std::size_t count = runtime().pinned.count();
  for (const auto& device : runtime().devices) count += device->memory.count();
  return count;
}

// At the end of the process: what nobody freed, and work for which nobody waited.
void report_leaks() {
  CUDA_MACHINE_CALL;
  if (const std::size_t left = left_allocated()) {
    report(Finding::leak, std::to_string(left) + " allocations were never freed");
  }
  if (runtime().graphs) report(Finding::leak, std::to_string(runtime().graphs) + " graphs were never destroyed");
  for (const auto& device : runtime().devices) {
    if (device->streams().size() > 1) {
      report(Finding::leak, std::to_string(device->streams().size() - 1) + " streams were never destroyed");
    }
    for (const auto& stream : device->streams()) {
      if (!stream->idle()) report(Finding::leak, "nobody waited for work in a stream");
    }
  }
  end_if_reports_made();  // it may have been asked before these were made
}

}  // namespace

Runtime::Runtime() : random(settings().seed) {
  for (unsigned i = 0; i < settings().gpus; ++i)
    devices.push_back(std::make_unique<Device>(static_cast<int>(i), order));
}

Device& Runtime::current() { return *devices[static_cast<std::size_t>(current_device())]; }

Device* Runtime::owner_of(std::uint64_t address) {
  for (const auto& device : devices) {
    if (device->memory.find(address)) return device.get();
  }
  return nullptr;
}

bool Runtime::uses(const void* host, std::size_t bytes) const {
  for (const auto& device : devices) {
    for (const auto& stream : device->streams()) {
      if (stream->uses(host, bytes)) return true;
    }
  }
  return false;
}

void Runtime::do_some_work() {
  for (std::uint64_t steps = random.below(4); steps > 0; --steps) {
    const auto& streams = devices[random.below(devices.size())]->streams();
    Stream& stream = *streams[random.below(streams.size())];
    if (!stream.idle()) stream.run_one();
  }
}

Runtime& runtime() {
  static Runtime& all = *new Runtime;  // until the very end of the process
  [[maybe_unused]] static const int registered = std::atexit(report_leaks);
  return all;
}

int& current_device() {
  thread_local int device = 0;
  return device;
}

cudaError_t& last_error() {
  thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t said(cudaError_t status) {
  if (status != cudaSuccess && status != cudaErrorNotReady) last_error() = status;
  return status;
}

Call::Call() : lock_(runtime().mutex) {
  if (in_host_function()) misuse("a function that a stream calls makes a call of the runtime");
}

void misuse(const std::string& sentence) { report(Finding::api, sentence); }

}  // namespace cuda_machine
