// The Metering Process of a live capture: a thread a ring, or all threads for all that comes.
#pragma once

#include <atomic>
#include <memory>

#include "command/live/live.h"
#include "command/live/live_sampling.h"
#include "command/live/live_source.h"
#include "command/live/live_streams.h"
#include "command/live/ring_metering.h"
#include "pipeline/metering/metering_work.h"

namespace warpmeter::inline command {

// How many threads have rings of their own; 0: all meter all that comes, since there are more of them than rings, no
// rings, or a GPU.
unsigned owners_of_rings(const LiveOptions& live, const BackendChoice& backend, const LiveSource& source);

// Streams for a detector, as the options ask for them; null: they do not. Throws Error, also where no thread has a ring
// of its own.
std::unique_ptr<LiveStreams> make_live_streams(const LiveOptions& live, const BackendChoice& backend,
                                               const LiveSource& source, const std::atomic<bool>& gives_up);

// What lets the sample of flows change, among so many owners of rings; null: it stays. Throws Error where there are
// none.
std::unique_ptr<LiveSampling> make_live_sampling(const ExtractOptions& options, unsigned owners);

// `options`: of the run, as made of `live`. `beside`: nothing of it where no thread has a ring of its own. What is
// referred to must outlive it. Throws Error.
std::unique_ptr<MeteringWork> make_live_work(const LiveOptions& live, const ExtractOptions& options,
                                             const BackendChoice& backend, LiveSource& source,
                                             const BesideRings& beside);

}  // namespace warpmeter::inline command
