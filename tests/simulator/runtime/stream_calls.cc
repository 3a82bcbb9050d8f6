// cudaStreamCreateWithFlags, cudaStreamDestroy, cudaStreamSynchronize, cudaStreamWaitEvent.
#include "simulator/launch_counts.h"
#include "simulator/runtime/event.h"
#include "simulator/runtime/failures.h"
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
  stream->host_waits(HostWait::stream);
  return said(stream->device.lost);
}

extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream->device.lost) return said(stream->device.lost);
  if (LaunchCounts* const counts = LaunchCounts::instance()) ++counts->streams.waits;
  const Mark mark = event_of(event).mark;
  if (!mark.stream) return cudaSuccess;
  stream->add(
      {.kind = OperationKind::wait, .what = "a wait", .run = [](Work) { return cudaSuccess; }, .waits_for = mark});
  return cudaSuccess;
}
