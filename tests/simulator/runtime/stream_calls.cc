// cudaStreamCreateWithFlags, cudaStreamDestroy, cudaStreamSynchronize, cudaStreamWaitEvent, cudaLaunchHostFunc.
#include "simulator/launch_counts.h"
#include "simulator/runtime/event.h"
#include "simulator/runtime/failures.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/stream_handle.h"

using namespace cuda_machine;

namespace cuda_machine {

Stream* stream_of(cudaStream_t handle) {
  if (!handle || handle == cudaStreamLegacy) return &runtime().current().default_stream();
  auto* const stream = reinterpret_cast<Stream*>(handle);
  for (const auto& device : runtime().devices) {
    if (device->has(stream)) return stream;
  }
  misuse("use of a stream that does not exist, or not any more");
  return nullptr;
}

}  // namespace cuda_machine

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  CUDA_MACHINE_CALL;
  if (runtime().current().lost) return said(runtime().current().lost);
  if (must_fail("stream")) return said(cudaErrorMemoryAllocation);
  *handle = reinterpret_cast<cudaStream_t>(&runtime().current().add_stream(!(flags & cudaStreamNonBlocking)));
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = handle ? stream_of(handle) : nullptr;
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  stream->device.destroy(*stream);
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (capture_of(*stream)) {
    misuse("the host waits for a stream that is captured");
    return said(cudaErrorStreamCaptureUnsupported);
  }
  stream->host_waits(HostWait::stream);
  return said(stream->device.lost);
}

extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream->device.lost) return said(stream->device.lost);
  if (LaunchCounts* const counts = LaunchCounts::instance()) ++counts->streams.waits;
  if (Capture* const capture = capture_of(event_of(event))) return said(capture->wait(*stream, event_of(event)));
  if (capture_of(*stream) || event_of(event).is_captured) {
    misuse("a wait for an event across the border of a capture");
    return said(cudaErrorStreamCaptureIsolation);
  }
  const Mark mark = event_of(event).mark;
  if (!mark.stream) return cudaSuccess;
  stream->add(
      {.kind = OperationKind::wait, .what = "a wait", .run = [](Work) { return cudaSuccess; }, .waits_for = mark});
  return cudaSuccess;
}

extern "C" cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream->device.lost) return said(stream->device.lost);
  const auto give = [=](Stream& later) {
    later.add({.kind = OperationKind::host_function,
               .what = "a function of the host",
               .run = {},
               .waits_for = {},
               .host_function = [=] { function(argument); }});
    return cudaSuccess;
  };
  Capture* const capture = capture_of(*stream);
  return said(capture ? capture->add(*stream, OperationKind::host_function, give) : give(*stream));
}
