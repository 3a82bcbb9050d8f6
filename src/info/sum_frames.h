// A whole source added up, by several threads at once.
#pragma once

#include "capture/packet_source.h"
#include "info/frame_sums.h"

namespace warpmeter {

// Reads it to its end. Rethrows what a thread threw.
FrameSums sum_frames(PacketSource& source, unsigned threads);

}  // namespace warpmeter
