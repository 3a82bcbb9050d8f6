// Functions of the program that streams call when they come to them (cudaLaunchHostFunc): by a thread of the machine's
// own, as a driver does, so that they may wait for locks which their caller holds.
//
// Whatever the order of work is, that thread goes on as far as the next of them: nobody has to wait for the stream.
#pragma once

#include <condition_variable>
#include <deque>

#include "simulator/runtime/stream.h"

namespace cuda_machine {

// Under the lock of the runtime, which is not held while a function runs.
class HostFunctions {
 public:
  // The work behind which this is calls one.
  void expect(const Mark& mark);
  // Until one more has returned. REQUIRES: one is expected; the caller holds the lock once.
  void wait();

 private:
  void call_all();

  std::condition_variable_any changed_;
  std::deque<Mark> expected_;  // none waits for one behind it
  bool started_ = false;
};

// The calling thread is in such a function: it must not call the runtime.
bool& in_host_function();

}  // namespace cuda_machine
