// Streams as a job: what Reassembly and StreamReader have in common.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/library/job_work.h"
#include "command/reassemble/reassemble_run.h"
#include "warpmeter/feed.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {

using StreamRun = std::function<ReassembleSummary(JobWork& job, std::span<StreamConsumer* const> channels)>;

// These throw Error (usage).
StreamRun stream_run(std::vector<std::string> inputs, const Options& options);
StreamRun stream_run(FrameFeed feed, const Options& options);
unsigned checked_channels(std::size_t channels);

// `channels` must stay as long as the job.
JobEnd run_streams(JobWork& job, const StreamRun& run, std::span<StreamConsumer* const> channels);

}  // namespace warpmeter
