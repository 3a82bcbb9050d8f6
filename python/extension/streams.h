// Flow Records as Arrow's C streams, for whoever computes with them.
//
// Threads: a stream is called by one thread at a time, with the GIL or without it.
#pragma once

#include <memory>
#include <vector>

#include "flow_run.h"
#include "shared_arrow.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::python {

// Those that are there.
void stream_of(Shared<ArrowSchema> schema, std::vector<Shared<ArrowArray>> batches, ArrowArrayStream& to);

// One, and then those that the run will give. The run stays open as long as the stream.
void stream_of(Shared<ArrowArray> first, std::shared_ptr<FlowRun> run, ArrowArrayStream& to);

}  // namespace warpmeter::python
