// A stream: work that is done in order, at a time that the settings choose.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "simulator/runtime/operation_log.h"
#include "simulator/stream_order.h"

namespace cuda_machine {

class Device;
class Stream;

// A place in a stream: behind its first `operations`.
struct Mark {
  Stream* stream = nullptr;
  std::uint64_t operations = 0;

  Work work() const;  // the last of them
};

enum class OperationKind : std::uint8_t { launch, copy_in, copy_out, copy_on_device, fill, event, wait, host_function };

struct Operation {
  OperationKind kind;
  std::string_view what;                     // for reports; must stay
  std::function<cudaError_t(Work)> run;      // told which of the stream's it is; an error loses the device
  Mark waits_for;                            // this must be done first
  std::size_t bytes = 0;                     // copied or filled
  std::function<void()> host_function = {};  // called in place of `run`, by HostFunctions
  // Bytes of the host that it reads or writes when it runs.
  const void* host = nullptr;
  std::size_t host_bytes = 0;
};

// Whether a call may wait until functions of the host have returned.
enum class Waiting : std::uint8_t { no, yes };

class Stream {
 public:
  Stream(Device& device_, bool blocking_);
  ~Stream();

  Device& device;
  const bool blocking;         // waits for the default stream, and the other way round
  const std::uint32_t number;  // in Device::order

  // Where it stands behind the operation.
  Mark add(Operation operation);
  Mark end() { return {this, added_}; }
  bool has_done(std::uint64_t operations) const { return done_ >= operations; }
  bool idle() const { return done_ == added_; }
  // Does the first so many operations, and what they wait for; without waiting, as far as the next function of the
  // host.
  void run_to(std::uint64_t operations, Waiting waiting);
  void run_one() { run_to(done_ + 1, Waiting::no); }
  void finish() { run_to(added_, Waiting::yes); }
  // As finish() and run_to(), when the host waits for it: what it adds from now on comes after that.
  void host_waits(HostWait how) { host_waits(how, added_); }
  void host_waits(HostWait how, std::uint64_t operations);
  // Work that has not been done uses some of these bytes of the host.
  bool uses(const void* host, std::size_t bytes) const;

  // The next operation, which calls the host: what it calls, or nothing where the device is lost; and that it has.
  std::function<void()> begin_host_function();
  void end_host_function();

 private:
  // The last work of those streams after whose work this one's comes without any event.
  std::vector<Work> before_all() const;

  std::uint64_t added_ = 0, done_ = 0;
  std::deque<Operation> waiting_;
  bool calls_host_ = false;  // the operation behind those that are done
};

}  // namespace cuda_machine
