// A whole trace added up, by several threads at once.
#pragma once

#include "capture/trace.h"
#include "info/frame_sums.h"

namespace warpmeter {

// Reads the trace to its end. Rethrows what a thread threw.
FrameSums sum_frames(Trace& trace, unsigned threads);

}  // namespace warpmeter
