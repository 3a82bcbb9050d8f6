// cudaStreamBeginCapture, cudaStreamEndCapture, cudaGraphInstantiate, cudaGraphExecUpdate, cudaGraphLaunch,
// cudaGraphDestroy, cudaGraphExecDestroy.
#include <algorithm>

#include "simulator/runtime/failures.h"
#include "simulator/runtime/graph_capture.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/stream_handle.h"

using namespace cuda_machine;

namespace {

Graph& graph_of(cudaGraph_t handle) { return *reinterpret_cast<Graph*>(handle); }
GraphExec& exec_of(cudaGraphExec_t handle) { return *reinterpret_cast<GraphExec*>(handle); }

void end(const Capture& capture) {
  std::erase_if(runtime().captures, [&](const auto& one) { return one.get() == &capture; });
}

}  // namespace

extern "C" cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream == &stream->device.default_stream()) {
    misuse("the default stream cannot be captured");
    return said(cudaErrorStreamCaptureUnsupported);
  }
  if (capture_of(*stream)) {
    misuse("a stream is captured that is already");
    return said(cudaErrorIllegalState);
  }
  runtime().captures.push_back(std::make_unique<Capture>(*stream));
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  CUDA_MACHINE_CALL;
  *graph = nullptr;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  Capture* const capture = capture_of(*stream);
  if (!capture || !capture->began_in(*stream)) {
    misuse("the end of a capture that did not begin in this stream");
    return said(capture ? cudaErrorStreamCaptureUnmatched : cudaErrorIllegalState);
  }
  const bool joined = capture->is_joined();
  if (joined) *graph = reinterpret_cast<cudaGraph_t>(new Graph(capture->take()));
  else misuse("a capture ends before all its streams have joined the one where it began");
  end(*capture);
  return said(joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined);
}

extern "C" cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  CUDA_MACHINE_CALL;
  *exec = nullptr;
  if (must_fail("graph")) return said(cudaErrorMemoryAllocation);
  *exec = reinterpret_cast<cudaGraphExec_t>(new GraphExec(graph_of(graph)));
  ++runtime().graphs;
  return cudaSuccess;
}

extern "C" cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                           cudaGraphExecUpdateResultInfo* how) {
  CUDA_MACHINE_CALL;
  const bool updated = exec_of(exec).update(graph_of(graph));
  *how = {};
  how->result = updated ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
  return said(updated ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

extern "C" cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  CUDA_MACHINE_CALL;
  Stream* const stream = stream_of(handle);
  if (!stream) return said(cudaErrorInvalidResourceHandle);
  if (stream->device.lost) return said(stream->device.lost);
  if (capture_of(*stream)) {
    misuse("a graph is launched in a stream that is captured");
    return said(cudaErrorStreamCaptureUnsupported);
  }
  return said(exec_of(exec).launch(*stream));
}

extern "C" cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  CUDA_MACHINE_CALL;
  delete &graph_of(graph);
  return cudaSuccess;
}

extern "C" cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  CUDA_MACHINE_CALL;
  delete &exec_of(exec);
  --runtime().graphs;
  return cudaSuccess;
}
