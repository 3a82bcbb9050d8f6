// A whole source added up, by several threads at once.
#pragma once

#include "command/info/frame_sums.h"
#include "packet/file/packet_source.h"

namespace warpmeter::inline command {

// Reads it to its end. Rethrows what a thread threw.
FrameSums sum_frames(PacketSource& source, unsigned threads);

}  // namespace warpmeter::inline command
