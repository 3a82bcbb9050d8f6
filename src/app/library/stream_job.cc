#include "app/library/stream_job.h"

#include <fmt/format.h>

#include <utility>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "command/reassemble/reassemble_run.h"
#include "core/flow_hash.h"
#include "warpmeter/status.h"

namespace warpmeter {

namespace {

// Whose warnings the job has.
ReassembleCommandOptions of_job(ReassembleCommandOptions options, JobWork& job) {
  options.warn = [&job](const std::string& line) { job.warn(line); };
  return options;
}

}  // namespace

StreamRun stream_run(std::vector<std::string> inputs, const Options& given) {
  ReassembleCommandOptions options = with_printable_failure([&] { return reassemble_options_of(given); });
  if (inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  options.inputs = std::move(inputs);
  return [options = std::move(options)](JobWork& job, std::span<StreamConsumer* const> channels) {
    return reassemble_and_sum_up(of_job(options, job), channels, job.interrupted());
  };
}

StreamRun stream_run(FrameFeed feed, const Options& given) {
  if (!feed) throw Error("there is no feed of frames", ExitStatus::usage);
  return [feed = std::move(feed), options = with_printable_failure([&] { return reassemble_options_of(given); })](
             JobWork& job, std::span<StreamConsumer* const> channels) {
    FeedSource source(feed, job.interrupted());
    return reassemble_from(source, of_job(options, job), channels, job.interrupted());
  };
}

unsigned checked_channels(std::size_t channels) {
  if (channels == 0 || channels > kShards) {
    throw Error(fmt::format("{} channels: 1 to {} are possible", channels, kShards), ExitStatus::usage);
  }
  return static_cast<unsigned>(channels);
}

JobEnd run_streams(JobWork& job, const StreamRun& run, std::span<StreamConsumer* const> channels) {
  const ReassembleSummary summary = run(job, channels);
  if (job.is_dropped()) throw Error("nobody takes the streams");
  return {summary_json(summary)};
}

}  // namespace warpmeter
