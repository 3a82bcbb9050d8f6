// The three queues of work on a device: things in one queue happen in order, those in different ones at the same time.
// CUDA calls a queue a stream.
#pragma once

namespace warpmeter {

enum class Queue { in, compute, out };
inline constexpr int kQueues = 3;

}  // namespace warpmeter
