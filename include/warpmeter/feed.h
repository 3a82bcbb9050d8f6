// Frames that a program has, for an Extraction or for streams, in place of captures.
#pragma once

#include <functional>

#include "warpmeter/frame.h"

namespace warpmeter {

// Puts the next frames, in order of capture, into an empty block. False: these are the last, or there are none; true
// without any is an end as well. None is longer than 2 MiB. Their bytes stay as long as the block's leases are held;
// without leases, until the run has ended. Called by one thread at a time, not always the same. What it throws ends the
// run.
using FrameFeed = std::function<bool(FrameBlock&)>;

}  // namespace warpmeter
