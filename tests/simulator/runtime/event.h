// An event: a place in a stream, and when it was reached.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include "simulator/runtime/stream.h"

namespace cuda_machine {

struct Event {
  Mark mark;  // no stream: it was never recorded
  std::chrono::steady_clock::time_point reached;
  bool is_captured = false;  // when it was recorded last: it is part of a graph, and nobody else can wait for it

  bool is_reached() const { return !mark.stream || mark.stream->has_done(mark.operations); }
};

inline Event& event_of(cudaEvent_t handle) { return *reinterpret_cast<Event*>(handle); }

}  // namespace cuda_machine
