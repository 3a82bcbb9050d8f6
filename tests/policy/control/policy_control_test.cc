// Clients of the control socket: good ones, slow ones, those that go away, and many at once.
#include "policy/control/policy_control.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

#include "policy/control/control_client.h"
#include "support/policy_text.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using test::asked;
using test::ControlClient;
using test::kTreePolicy;
using namespace std::chrono_literals;

constexpr const char* kInit = "set_init\n[[init.rule]]\nport = 7\nto = 'OUT'\n";
constexpr std::chrono::milliseconds kLong = 60s;

class PolicyControlTest : public testing::Test {
 protected:
  void serve(std::chrono::milliseconds patience = kLong) {
    control_.emplace(
        socket_, running_, [this](const std::string& line) { told_.push_back(line); }, patience);
  }
  std::string group(int id) { return "set_memory\n[[group]]\nid = " + std::to_string(id) + "\nrule = [{}]\n"; }

  const test::ScratchFolder folder_;
  const std::string path_ = folder_.path() + "/policy";
  const ControlSocket socket_{path_};
  RunningPolicy running_{PolicyMemory::load(kTreePolicy), true, kLong};
  std::vector<std::string> told_;  // by the thread that serves; read when it has answered, or is over
  std::optional<PolicyControl> control_;
};

TEST_F(PolicyControlTest, ClientsAreAnswered) {
  serve();
  EXPECT_EQ(asked(path_, group(20)), "ok\n");
  EXPECT_EQ(asked(path_, kInit), "ok\n");
  EXPECT_EQ(asked(path_, "set_memory\n[[group]]\nid = 20\nmatch = 99\nrule = [{}]\n"),
            "error: group 20: there is no group 99\n");
  EXPECT_EQ(asked(path_, ""), "error: the first line is set_memory, set_init or replace\n");
  EXPECT_EQ(asked(path_, std::string("set_init\n\0\x1b[2J", 14)).find_first_of(std::string("\0\x1b", 2)),
            std::string::npos)
      << "an answer is shown on terminals";
  EXPECT_EQ(running_.generation(), 2u);
  control_.reset();
  const std::string by = ", by process " + std::to_string(getpid());
  EXPECT_EQ(told_, (std::vector<std::string>{"policy: group 20 set" + by, "policy: an init rule set, to OUT" + by}));
}

TEST_F(PolicyControlTest, RequestMayComeInPieces) {
  serve();
  ControlClient client(path_);
  for (const char c : group(20)) client.write(std::string(1, c));
  EXPECT_EQ(asked(path_, kInit), "ok\n") << "who is not done holds nobody up";
  client.end();
  EXPECT_EQ(client.read(), "ok\n");
}

// A request without its end may be a part of one that reads well.
TEST_F(PolicyControlTest, WhoGoesAwayChangesNothing) {
  serve();
  ControlClient client(path_);
  client.write(kInit);
  client.hang_up();
  EXPECT_EQ(asked(path_, group(20)), "ok\n");
  control_.reset();
  EXPECT_EQ(running_.generation(), 1u);
  EXPECT_TRUE(running_.current()->memory().init().empty());
}

TEST_F(PolicyControlTest, SlowClientsAreLeft) {
  serve(50ms);
  ControlClient silent(path_), slow(path_);
  slow.write("set_init");
  const std::string late = "error: the end of the request has not come in time\n";
  EXPECT_EQ(silent.read(), late);
  EXPECT_EQ(slow.read(), late);
  slow.end();
  control_.reset();
  EXPECT_EQ(running_.generation(), 0u);
}

TEST_F(PolicyControlTest, TooLongARequestIsAnswered) {
  serve();
  std::string request = kInit;
  request.resize(PolicyControl::kMostRequest, '\n');
  EXPECT_EQ(asked(path_, request), "ok\n");
  EXPECT_EQ(asked(path_, request + "\n"), "error: the request is longer than 1 MiB\n");
  EXPECT_EQ(running_.generation(), 1u);
  ControlClient endless(path_);
  while (endless.write(request)) continue;
}

// More than are served at once, some of which say nothing.
TEST_F(PolicyControlTest, ManyClientsAreServed) {
  constexpr int kClients = 40, kEach = 5;
  serve(300ms);
  std::vector<ControlClient> silent;
  for (int i = 0; i < 10; ++i) silent.emplace_back(path_);
  std::atomic<int> taken = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) taken += asked(path_, kInit) == "ok\n";
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(taken, kClients * kEach);
  EXPECT_EQ(running_.generation(), static_cast<std::uint64_t>(taken));
}

TEST_F(PolicyControlTest, WhoNeverAsksKeepsNobodyAway) {
  serve();
  std::vector<ControlClient> silent;
  for (int i = 0; i < 16; ++i) silent.emplace_back(path_);
  silent.front().write("set_init\n");
  EXPECT_EQ(asked(path_, kInit), "ok\n");
  EXPECT_EQ(silent.front().read(), "error: others waited, and the end of the request had not come\n");
  silent[1].write(kInit);
  silent[1].end();
  EXPECT_EQ(silent[1].read(), "ok\n") << "only one had to go";
}

// Others change the policy too, and those who run rounds ask for it all the time.
TEST_F(PolicyControlTest, IsOneOfSeveralWhoChangeThePolicy) {
  serve();
  std::atomic<bool> over = false;
  std::uint64_t seen = 0, replaced = 0;
  std::thread runs([&] {
    while (!over) {
      if (running_.generation() != seen) seen = running_.current() ? running_.generation() : 0;
    }
  });
  std::thread reloads([&] {
    for (; !over; ++replaced) running_.replace(PolicyMemory::load(kTreePolicy));
  });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(asked(path_, group(40 + i)), "ok\n");
  over = true;
  runs.join();
  reloads.join();
  EXPECT_EQ(running_.generation(), 20 + replaced);
}

// It is somebody else's, and takes as long as he likes.
TEST_F(PolicyControlTest, EndsWhileAChangeIsMade) {
  serve();
  ControlClient waits(path_);
  waits.write(kInit);
  EXPECT_NE(asked(path_, ""), "ok\n") << "both were accepted: nobody would end the first one otherwise";
  std::latch end(1), begun(1);
  std::thread other([&] { running_.change([&](PolicyMemory&) { begun.count_down(), end.wait(); }); });
  begun.wait();
  waits.end();
  std::this_thread::sleep_for(20ms);
  control_.reset();
  const std::string answer = waits.read();
  EXPECT_TRUE(answer.empty() || answer == "error: no change any more: the run ends\n") << answer;
  EXPECT_EQ(running_.generation(), 0u);
  end.count_down();
  other.join();
}

TEST_F(PolicyControlTest, EndsWhileClientsWait) {
  serve();
  ControlClient open(path_), half(path_);
  half.write("set_memory\n");
  EXPECT_EQ(asked(path_, kInit), "ok\n") << "these three were accepted";
  control_.reset();
  EXPECT_EQ(open.read() + half.read(), "");
  EXPECT_EQ(running_.generation(), 1u);
}

}  // namespace
}  // namespace warpmeter
