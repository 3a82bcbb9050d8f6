#include "warpmeter/stream_reader.h"

#include <fmt/format.h>

#include <utility>

#include "app/library/stream_job.h"
#include "app/library/stream_queues.h"

namespace warpmeter {
namespace {

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
