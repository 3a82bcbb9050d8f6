// How a job ends that waits for somebody else, and what it says of an end that is none.
#include "warpmeter/job.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "record/write/output_format.h"
#include "support/arrow_stream.h"
#include "support/packets.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/extraction.h"
#include "warpmeter/flow_report.h"
#include "warpmeter/link_type.h"
#include "warpmeter/selection.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr int kManyFlows = 10000;           // more than a pipe holds, as text
constexpr int kFlowsOfManyBuffers = 50000;  // more than the buffers of a connection

// A named pipe that is there for who writes to it, and that nobody reads.
class UnreadPipe {
 public:
  UnreadPipe() : path_(folder_.file("pipe.csv")) {
    EXPECT_EQ(mkfifo(path_.c_str(), 0600), 0);
    both_ends_ = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    fcntl(both_ends_, F_SETPIPE_SZ, 4096);
  }
  ~UnreadPipe() { close(both_ends_); }
  UnreadPipe(const UnreadPipe&) = delete;
  UnreadPipe& operator=(const UnreadPipe&) = delete;

  const std::string& path() const { return path_; }

  bool is_full() const {
    pollfd room{both_ends_, POLLOUT, 0};
    return poll(&room, 1, 0) == 0;
  }

  // Whether `end` comes to an end by itself; where it does not, it is read for.
  bool is_left_by(const std::function<void()>& end, std::chrono::milliseconds within = 10s) const {
    auto ended = std::async(std::launch::async, end);
    const bool soon = ended.wait_for(within) == std::future_status::ready;
    std::vector<char> buffer(1 << 16);
    while (ended.wait_for(1ms) != std::future_status::ready) {
      if (read(both_ends_, buffer.data(), buffer.size()) < 0) continue;
    }
    return soon;
  }

 private:
  test::ScratchFolder folder_;
  const std::string path_;
  int both_ends_ = -1;
};

ArrowArrayStream many_flows(int count) {
  std::vector<Biflow> flows(static_cast<std::size_t>(count));
  for (int port = 0; port < count; ++port) {
    FlowRecord& flow = flows[static_cast<std::size_t>(port)].forward;
    flow.key.version = 4;
    flow.key.protocol = kProtocolTcp;
    set_port_number(flow.key.source_port, port);
  }
  return test::batches_of(flows, {}, 10000).stream();
}

// A packet of each of so many flows, and no more.
FrameFeed fed_once(int flows) {
  return [flows](FrameBlock& block) {
    auto bytes = std::make_shared<std::vector<test::Bytes>>();
    for (int port = 0; port < flows; ++port) {
      bytes->push_back(test::ip4({}, test::tcp({.source_port = static_cast<std::uint16_t>(port)}, {1, 2, 3})));
      const auto size = static_cast<std::uint32_t>(bytes->back().size());
      block.frames.push_back({bytes->back().data(), 1'700'000'000'000'000'000 + port, size, size, kLinkRaw});
    }
    block.leases.push_back(bytes);
    return false;
  };
}

// Takes what it gives until it waits for the pipe's reader alone. How many Flow Records that were.
std::size_t take_until_full(Job& job, const UnreadPipe& pipe) {
  std::size_t count = 0;
  std::vector<Biflow> flows;
  for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < 20s;) {
    const bool is_ready = job.ready(100ms);
    if (!is_ready && pipe.is_full()) return count;
    auto* const source = dynamic_cast<FlowSource*>(&job);
    if (is_ready && source && source->next(flows)) count += flows.size();
  }
  ADD_FAILURE() << "the pipe is not full";
  return count;
}

std::size_t count_all(FlowSource& run) {
  std::size_t count = 0;
  for (std::vector<Biflow> flows; run.next(flows);) count += flows.size();
  return count;
}

TEST(Job, DroppedDoesNotWaitForWhoReadsNothing) {
  const UnreadPipe pipe;
  const auto expect_left = [&](std::unique_ptr<Job> job) {
    take_until_full(*job, pipe);
    EXPECT_TRUE(pipe.is_left_by([&] { job.reset(); }));
  };
  const Options options = {{"output", pipe.path()}};
  expect_left(std::make_unique<Extraction>(fed_once(kManyFlows), options));
  const UnreadPipe another;
  const Options both = {{"output", pipe.path()}, {"output", another.path()}};
  expect_left(std::make_unique<Extraction>(fed_once(kManyFlows), both));
  ArrowArrayStream stream = many_flows(kManyFlows);
  expect_left(std::make_unique<Selection>(stream, "flows", options));
  stream = many_flows(kManyFlows);
  expect_left(std::make_unique<FlowReport>(stream, "flows", pipe.path()));
}

TEST(Job, GivenUpLeavesNoOutputAndGivesNoMore) {
  const test::ScratchFolder folder;
  std::promise<void> go_on;
  const auto waits = [&, wait = go_on.get_future().share()](FrameBlock&) {
    wait.wait();
    return false;
  };
  Extraction run(waits, {{"output", folder.file("flows.csv")}});
  auto taken = std::async(std::launch::async, [&] { return test::thrown_text([&] { count_all(run); }); });
  run.give_up();
  go_on.set_value();
  EXPECT_NE(taken.get(), "");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Job, TellsHowFarReadingIs) {
  std::promise<void> go_on;
  const std::vector<test::Bytes> packets(100, test::ip4({}, test::tcp({}, {1, 2, 3})));
  const auto waits = [&, wait = go_on.get_future().share(), times = 0](FrameBlock& block) mutable {
    if (++times == 3) wait.wait();
    for (const test::Bytes& packet : packets) {
      const auto size = static_cast<std::uint32_t>(packet.size());
      block.frames.push_back({packet.data(), times, size, size, kLinkRaw});
    }
    return times < 4;
  };
  Extraction run(waits, {{"threads", "1"}, {"progress", ""}});
  for (int i = 0; i < 20'000 && run.progress().packets == 0; ++i) std::this_thread::sleep_for(1ms);
  EXPECT_GE(run.progress().packets, 100U);
  EXPECT_LE(run.progress().packets, 200U) << "the others are still to come";
  EXPECT_EQ(run.progress().bytes_in_all, 0U);
  go_on.set_value();
  count_all(run);
  EXPECT_EQ(run.progress().packets, 400U) << "those that come with the end, too";
  EXPECT_EQ(run.progress().bytes, 400 * packets.front().size());
  ArrowArrayStream stream = many_flows(10);
  Selection selection(stream, "flows", {});
  count_all(selection);
  EXPECT_EQ(selection.progress().packets, 0U);
}

// With the line and the exit status of the command.
TEST(Job, SummaryTellsWhatItHadNoMemoryFor) {
  Extraction run([](FrameBlock&) -> bool { throw std::bad_alloc(); }, {});
  EXPECT_THROW(count_all(run), std::bad_alloc);
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["exit_status"], 1);
  EXPECT_EQ(summary["error"], "out of memory (--memory limits what flows, or streams, may take)");
}

// As that of the command, whose reader may be slow.
TEST(Job, InterruptedWaitsForItsReader) {
  const UnreadPipe pipe;
  Extraction run(fed_once(kManyFlows), {{"output", pipe.path()}});
  std::size_t count = take_until_full(run, pipe);
  run.interrupt();
  EXPECT_FALSE(run.ready(700ms));
  EXPECT_FALSE(pipe.is_left_by([&] { count += count_all(run); }, 300ms));
  EXPECT_EQ(count, kManyFlows);
}

TEST(Job, LongestTimeIsWaited) {
  std::promise<void> go_on;
  const auto waits = [&, wait = go_on.get_future().share()](FrameBlock&) {
    wait.wait();
    return false;
  };
  Extraction run(waits, {});
  EXPECT_FALSE(run.ready(std::chrono::milliseconds::min()));
  auto is_ready = std::async(std::launch::async, [&] { return run.ready(std::chrono::milliseconds::max()); });
  EXPECT_EQ(is_ready.wait_for(50ms), std::future_status::timeout);
  go_on.set_value();
  EXPECT_TRUE(is_ready.get());
}

// A collector's host that takes connections, with small buffers, and a collector that reads nothing.
class UnreadCollector {
 public:
  UnreadCollector() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int small = 4096;
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 5), 0);
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    url_ = "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~UnreadCollector() { close(socket_); }
  UnreadCollector(const UnreadCollector&) = delete;
  UnreadCollector& operator=(const UnreadCollector&) = delete;
  const std::string& url() const { return url_; }

 private:
  const int socket_;
  std::string url_;
};

TEST(Job, ThrowsWhenAllIsGivenIfACollectorLostSome) {
  if (!built_with_ipfix()) GTEST_SKIP() << "a build with libfixbuf would run this";
  const UnreadCollector collector;
  const test::ScratchFolder folder;
  const std::string csv = folder.file("flows.csv");
  Extraction run(fed_once(kFlowsOfManyBuffers),
                 {{"collector", collector.url()}, {"collector-timeout", "1s"}, {"output", csv}});
  std::size_t count = 0;
  const auto all = [&] {
    for (std::vector<Biflow> flows; run.next(flows);) count += flows.size();
  };
  const std::string said = test::thrown_text(all);
  EXPECT_EQ(count, kFlowsOfManyBuffers);
  EXPECT_NE(said.find("records were lost"), std::string::npos) << said;
  EXPECT_EQ(test::thrown_text(all), said) << "whenever it is asked";
  // A busy machine may hear of the collector that is away before it hears of the losses.
  ASSERT_FALSE(run.warnings().empty());
  EXPECT_EQ(run.warnings().back(), said) << run.warnings().front();
  const auto summary = nlohmann::json::parse(run.summary());
  EXPECT_EQ(summary["exit_status"], 1);
  EXPECT_EQ(summary["error"], said);
  EXPECT_EQ(summary["rows"], kFlowsOfManyBuffers) << "it is that of a run that came to its end";
  EXPECT_NE(test::file_text(csv), "") << "other outputs are complete";
}

}  // namespace
}  // namespace warpmeter
