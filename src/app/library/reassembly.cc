// Streams as a job: with the program's own consumers, or with a reader that takes what they were given.
#include "warpmeter/reassembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/options_by_name.h"
#include "app/library/given_inputs.h"
#include "app/library/job_end.h"
#include "app/library/job_work.h"
#include "app/library/stream_queues.h"
#include "command/reassemble/reassemble_run.h"
#include "core/flow_hash.h"
#include "warpmeter/feed.h"
#include "warpmeter/status.h"
#include "warpmeter/stream_reader.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {
namespace {

using StreamRun = std::function<ReassembleSummary(JobWork& job, std::span<StreamConsumer* const> channels)>;

// Whose warnings and progress the job has.
ReassembleCommandOptions of_job(ReassembleCommandOptions options, JobWork& job) {
  options.warn = [&job](const std::string& line) { job.warn(line); };
  if (options.tell_progress) {
    options.tell_progress = [&job](const ReadingProgress& progress) { job.tell_progress(progress); };
  }
  return options;
}

// These two throw Error (usage).
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

// `channels` must stay as long as the job.
JobEnd run_streams(JobWork& job, const StreamRun& run, std::span<StreamConsumer* const> channels) {
  const ReassembleSummary summary = run(job, channels);
  if (job.is_dropped()) throw Error("nobody takes the streams");
  return {summary_json(summary)};
}

// A consumer of the program, until nobody wants the run any more.
class WantedConsumer final : public StreamConsumer {
 public:
  WantedConsumer(StreamConsumer& consumer, const JobWork& job) : consumer_(consumer), job_(job) {}

  void opened(TcpConnection& connection) override {
    check_wanted();
    consumer_.opened(connection);
  }
  void take(TcpConnection& connection, const StreamBlock& block) override {
    check_wanted();
    consumer_.take(connection, block);
  }
  void ended(TcpConnection& connection, const ConnectionReport& report) override {
    check_wanted();
    consumer_.ended(connection, report);
  }

 private:
  void check_wanted() const {
    if (job_.is_dropped()) throw Error("nobody takes the streams");
  }

  StreamConsumer& consumer_;
  const JobWork& job_;
};

std::unique_ptr<JobWork> begin_reassembly(StreamRun run, const std::vector<StreamConsumer*>& channels) {
  checked_channels(channels.size());
  if (std::ranges::find(channels, nullptr) != channels.end()) {
    throw Error("a channel has no consumer", ExitStatus::usage);
  }
  if (std::set(channels.begin(), channels.end()).size() < channels.size()) {
    throw Error("two channels have one consumer, which two threads would call at once", ExitStatus::usage);
  }
  auto work = std::make_unique<JobWork>();
  JobWork* const job = work.get();
  std::vector<WantedConsumer> wanted;
  for (StreamConsumer* const consumer : channels) wanted.emplace_back(*consumer, *job);
  job->begin([job, run = std::move(run), wanted = std::move(wanted)]() mutable {
    std::vector<StreamConsumer*> consumers;
    for (WantedConsumer& consumer : wanted) consumers.push_back(&consumer);
    return run_streams(*job, run, consumers);
  });
  return work;
}

std::unique_ptr<JobWork> begin_reader(StreamRun run, unsigned channels) {
  struct End {
    StreamQueues& queues;
    ~End() { queues.end(); }
  };
  const auto queues = std::make_shared<StreamQueues>(checked_channels(channels));
  auto work = std::make_unique<JobWork>();
  work->begin(
      [job = work.get(), queues, run = std::move(run)] {
        const End at_last{*queues};
        return run_streams(*job, run, queues->consumers());
      },
      queues);
  return work;
}

}  // namespace

Reassembly::Reassembly(std::vector<std::string> inputs, const Options& options, std::vector<StreamConsumer*> channels)
    : Job(begin_reassembly(stream_run(std::move(inputs), options), channels)) {}

Reassembly::Reassembly(FrameFeed feed, const Options& options, std::vector<StreamConsumer*> channels)
    : Job(begin_reassembly(stream_run(std::move(feed), options), channels)) {}

void Reassembly::wait() { work().wait(); }

StreamReader::StreamReader(std::vector<std::string> inputs, const Options& options, unsigned channels)
    : Job(begin_reader(stream_run(std::move(inputs), options), channels)) {}

StreamReader::StreamReader(FrameFeed feed, const Options& options, unsigned channels)
    : Job(begin_reader(stream_run(std::move(feed), options), channels)) {}

bool StreamReader::next(std::vector<StreamEvent>& events, unsigned channel) {
  auto& queues = static_cast<StreamQueues&>(work().outlet());
  if (channel >= queues.count()) throw Error(fmt::format("there is no channel {}", channel), ExitStatus::usage);
  if (queues.pop(channel, events)) return true;
  work().wait();
  return false;
}

}  // namespace warpmeter
