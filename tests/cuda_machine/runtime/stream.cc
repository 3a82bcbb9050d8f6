#include "cuda_machine/runtime/stream.h"

#include <algorithm>
#include <utility>

#include "cuda_machine/runtime/runtime.h"

namespace cuda_machine {

Mark Stream::add(Operation operation) {
  if (this == &device.default_stream()) device.finish_blocking();
  else if (blocking) device.default_stream().finish();
  waiting_.push_back(std::move(operation));
  ++added_;
  const Mark mark = end();
  if (settings().order == WorkOrder::now) finish();
  if (settings().order == WorkOrder::random) runtime().do_some_work();
  return mark;
}

void Stream::run_to(std::uint64_t operations) {
  while (done_ < operations && !waiting_.empty()) {
    // What it waits for cannot wait for this: streams wait for what was there before.
    const Mark before = waiting_.front().waits_for;
    if (before.stream && before.stream != this) before.stream->run_to(before.operations);
    const Operation now = std::move(waiting_.front());
    waiting_.pop_front();
    if (device.lost == cudaSuccess) device.lost = now.run();
    ++done_;
  }
}

bool Stream::uses(const void* host, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::uint8_t*>(host);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Operation& one) {
    const auto* const theirs = static_cast<const std::uint8_t*>(one.host);
    return theirs && theirs < begin + bytes && begin < theirs + one.host_bytes;
  });
}

}  // namespace cuda_machine
