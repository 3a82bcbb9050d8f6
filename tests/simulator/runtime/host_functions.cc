#include "simulator/runtime/host_functions.h"

#include <mutex>
#include <thread>

#include "simulator/runtime/runtime.h"

namespace cuda_machine {

bool& in_host_function() {
  thread_local bool is = false;
  return is;
}

void HostFunctions::expect(const Mark& mark) {
  expected_.push_back(mark);
  if (!started_) std::thread([this] { call_all(); }).detach();  // until the very end of the process, as the runtime is
  started_ = true;
  changed_.notify_all();
}

void HostFunctions::wait() { changed_.wait(runtime().mutex); }

void HostFunctions::call_all() {
  std::unique_lock lock(runtime().mutex);
  in_host_function() = true;
  for (;;) {
    changed_.wait(lock, [this] { return !expected_.empty(); });
    const Mark next = expected_.front();
    next.stream->run_to(next.operations - 1, Waiting::no);
    const std::function<void()> function = next.stream->begin_host_function();
    lock.unlock();
    if (function) function();
    lock.lock();
    next.stream->end_host_function();
    expected_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace cuda_machine
