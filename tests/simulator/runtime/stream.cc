#include "simulator/runtime/stream.h"

#include <algorithm>
#include <utility>

#include "simulator/runtime/runtime.h"

namespace cuda_machine {

Stream::Stream(Device& device_, bool blocking_)
    : device(device_), blocking(blocking_), number(device.order.add_stream()) {}

Stream::~Stream() { device.order.remove_stream(number); }

Work Mark::work() const { return stream ? Work{stream->number, static_cast<std::uint32_t>(operations)} : Work{}; }

std::vector<Work> Stream::before_all() const {
  if (!blocking) return {};
  if (this != &device.default_stream()) return {device.default_stream().end().work()};
  std::vector<Work> all;
  for (const auto& stream : device.streams()) {
    if (stream->blocking) all.push_back(stream->end().work());
  }
  return all;
}

Mark Stream::add(Operation operation) {
  if (this == &device.default_stream()) device.finish_blocking();
  else if (blocking) device.default_stream().finish();
  std::vector<Work> before = before_all();
  before.push_back(operation.waits_for.work());
  const Work work = device.order.add(number, before, operation.what);
  if (OperationLog* const log = OperationLog::wanted()) log->add(*this, operation, work, before);
  const bool is_host_function = static_cast<bool>(operation.host_function);
  waiting_.push_back(std::move(operation));
  ++added_;
  const Mark mark = end();
  if (is_host_function) runtime().host_functions.expect(mark);
  if (settings().order == WorkOrder::now) run_to(added_, Waiting::no);
  if (settings().order == WorkOrder::random) runtime().do_some_work();
  return mark;
}

// While it waits, other threads may go on with the same stream: all is looked at again behind that.
void Stream::run_to(std::uint64_t operations, Waiting waiting) {
  while (done_ < operations) {
    if (calls_host_ || waiting_.front().host_function) {
      if (waiting == Waiting::no) return;
      runtime().host_functions.wait();
      continue;
    }
    // What it waits for cannot wait for this: streams wait for what was there before.
    const Mark before = waiting_.front().waits_for;
    if (before.stream && before.stream != this && !before.stream->has_done(before.operations)) {
      before.stream->run_to(before.operations, waiting);
      if (!before.stream->has_done(before.operations)) return;
      continue;
    }
    const Operation now = std::move(waiting_.front());
    waiting_.pop_front();
    if (device.lost == cudaSuccess) device.lost = now.run(Mark{this, done_ + 1}.work());
    ++done_;
  }
}

std::function<void()> Stream::begin_host_function() {
  calls_host_ = true;
  std::function<void()> function = std::move(waiting_.front().host_function);
  waiting_.pop_front();
  device.order.host_waited_for(Mark{this, done_ + 1}.work());
  return device.lost == cudaSuccess ? function : nullptr;
}

void Stream::end_host_function() {
  calls_host_ = false;
  ++done_;
}

void Stream::host_waits(HostWait how, std::uint64_t operations) {
  if (OperationLog* const log = OperationLog::wanted()) log->host_waits(how, Mark{this, operations}.work());
  run_to(operations, Waiting::yes);
  device.order.host_waited_for(Mark{this, operations}.work());
}

bool Stream::uses(const void* host, std::size_t bytes) const {
  const auto* const begin = static_cast<const std::uint8_t*>(host);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Operation& one) {
    const auto* const theirs = static_cast<const std::uint8_t*>(one.host);
    return theirs && theirs < begin + bytes && begin < theirs + one.host_bytes;
  });
}

}  // namespace cuda_machine
