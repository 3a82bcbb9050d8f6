// cudaEventCreateWithFlags, cudaEventDestroy, cudaEventRecord, cudaEventSynchronize, cudaEventQuery,
// cudaEventElapsedTime.
#include "simulator/launch_counts.h"
#include "simulator/runtime/event.h"
#include "simulator/runtime/failures.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/stream_handle.h"

using namespace cuda_machine;

namespace {

// Whether the host may ask for the event; else it is told.
bool is_of_host(const Event& event, const char* call) {
  if (event.is_captured) misuse(std::string(call) + " of an event that is part of a graph");
  return !event.is_captured;
}

}  // namespace

extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t* handle, unsigned) {
  CUDA_MACHINE_CALL;
  if (must_fail("event")) return said(cudaErrorMemoryAllocation);
  *handle = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  CUDA_MACHINE_CALL;
  Event* const event = &event_of(handle);
  if (Capture* const capture = capture_of(*event)) capture->forget(*event);
  if (event->mark.stream)
    event->mark.stream->run_to(event->mark.operations, Waiting::yes);  // its time is written when it is reached
  delete event;
  return cudaSuccess;
}

extern "C" cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(stream_handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream->device.lost) return said(stream->device.lost);
  if (LaunchCounts* const counts = LaunchCounts::instance()) ++counts->streams.events;
  Event& event = event_of(handle);
  if (Capture* const capture = capture_of(*stream)) return said(capture->record(*stream, event));
  event.is_captured = false;
  // An event that is recorded again forgets the time before.
  event.mark = {stream, stream->end().operations + 1};
  const std::uint64_t number = event.mark.operations;
  stream->add({.kind = OperationKind::event,
               .what = "an event",
               .run =
                   [&event, number](Work) {
                     if (event.mark.operations == number) event.reached = std::chrono::steady_clock::now();
                     return cudaSuccess;
                   },
               .waits_for = {}});
  return cudaSuccess;
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  CUDA_MACHINE_CALL;
  const Mark mark = event_of(handle).mark;
  if (!is_of_host(event_of(handle), "cudaEventSynchronize")) return said(cudaErrorCapturedEvent);
  if (!mark.stream) return cudaSuccess;
  mark.stream->host_waits(HostWait::event, mark.operations);
  return said(mark.stream->device.lost);
}

// Whoever asks again and again comes to an end, also where work is done as late as can be: some is done for each
// question.
extern "C" cudaError_t cudaEventQuery(cudaEvent_t handle) {
  CUDA_MACHINE_CALL;
  const Event& event = event_of(handle);
  const Mark mark = event.mark;
  if (!is_of_host(event, "cudaEventQuery")) return said(cudaErrorCapturedEvent);
  if (!mark.stream) return cudaSuccess;
  const bool done = event.is_reached();
  if (OperationLog* const log = OperationLog::wanted()) log->queries(mark.work(), done);
  if (done) mark.stream->device.order.host_waited_for(mark.work());
  else mark.stream->run_one();
  if (mark.stream->device.lost) return said(mark.stream->device.lost);
  return done ? cudaSuccess : cudaErrorNotReady;
}

extern "C" cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  CUDA_MACHINE_CALL;
  const Event &first = event_of(from), &second = event_of(to);
  if (!first.mark.stream || !second.mark.stream) {
    misuse("cudaEventElapsedTime of an event that was never recorded");
    return said(cudaErrorInvalidResourceHandle);
  }
  if (!first.is_reached() || !second.is_reached()) {
    misuse("cudaEventElapsedTime of an event that is not reached");
    return said(cudaErrorNotReady);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(second.reached - first.reached).count();
  return cudaSuccess;
}
