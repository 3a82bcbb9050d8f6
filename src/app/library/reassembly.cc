#include "warpmeter/reassembly.h"

#include <algorithm>
#include <set>
#include <utility>

#include "app/library/stream_job.h"

namespace warpmeter {
namespace {

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

}  // namespace

Reassembly::Reassembly(std::vector<std::string> inputs, const Options& options, std::vector<StreamConsumer*> channels)
    : Job(begin_reassembly(stream_run(std::move(inputs), options), channels)) {}

Reassembly::Reassembly(FrameFeed feed, const Options& options, std::vector<StreamConsumer*> channels)
    : Job(begin_reassembly(stream_run(std::move(feed), options), channels)) {}

void Reassembly::wait() { work().wait(); }

}  // namespace warpmeter
