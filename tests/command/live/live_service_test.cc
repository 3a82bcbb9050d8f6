// What stands beside a capture: a watchdog that hears nothing of a capture that hangs, an end that may not take too
// long, signals that become what they ask for.
#include "command/live/live_service.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "command/live/live_rounds.h"
#include "command/live/live_source.h"
#include "command/live/record_watch.h"
#include "support/notify_socket.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

// Nothing comes; whether anybody asks is the test's to say.
class SilentRing : public Ring {
 public:
  std::size_t size() const override { return 0; }
  int fd() const override { return -1; }
  std::optional<RingBlock> next() override { return {}; }
  void frames_of(RingBlock&, std::size_t, FrameBlock&) const override {}
  bool waits_for_lease() const override { return false; }
  std::chrono::milliseconds delay() const override { return 0ms; }
  void shut() override {}
  void update_counts() override {}
  RingCounts counts() const override { return {.point = "silent", .ring_full = 7}; }
};

class SilentPoint : public ObservationPoint {
 public:
  explicit SilentPoint(Ring& ring) : ring_(ring) {}
  std::string name() const override { return "silent"; }
  std::string way() const override { return "none"; }
  std::size_t rings() const override { return 1; }
  Ring& ring(std::size_t) override { return ring_; }
  void look(const Warn&) override {}
  bool is_gone() const override { return false; }
  PointCounts counts() const override { return {"silent", 0}; }

 private:
  Ring& ring_;
};

class LiveServiceTest : public testing::Test {
 protected:
  LiveServiceTest() {
    manager_.listen_at(folder_.file("notify"));
    setenv("WATCHDOG_USEC", "400000", 1);
    options_.tmpdir = folder_.path();
    options_.memory = 64 << 20;
    output_options_.file = folder_.file("f.csv");
    service_options_.signals = &signals_;
    service_options_.rotates = true;
  }

  void start() {
    std::vector<std::unique_ptr<ObservationPoint>> points;
    points.push_back(std::make_unique<SilentPoint>(ring_));
    source_ = std::make_unique<LiveRings>(std::make_unique<ObservationPoints>(
        std::move(points), 0ns, [](const std::string&) {}, stop_));
    output_.emplace(output_options_, RecordLayout{});
    work_.emplace(options_, source_->open(0ns), nullptr, BackendChoice{"cpu", "test"});
    service_.emplace(service_options_);
    parts_.emplace(LiveParts{*source_, *work_, records_, *output_, true, std::chrono::steady_clock::now()});
    parts_->rounds = rounds_ ? &*rounds_ : nullptr;
    watching_.emplace(*service_, *parts_);
  }

  // Waits, at most ten seconds; meanwhile the ring is asked, if it is to be.
  bool comes(const std::function<bool()>& condition, bool asked = false) {
    for (int i = 0; i < 2000; ++i) {
      if (condition()) return true;
      if (asked) ring_.looked({});
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  // Whether the manager hears this, of all that it is told.
  std::function<bool()> hears(std::string word) {
    return [this, word] {
      for (std::string text = manager_.heard(); !text.empty(); text = manager_.heard()) heard_ += text + "\n";
      return heard_.find(word) != std::string::npos;
    };
  }

  const test::ScratchFolder folder_;
  test::NotifySocket manager_;
  std::string heard_;
  ExtractOptions options_;
  OutputOptions output_options_;
  ServiceOptions service_options_;
  ServiceSignals signals_;
  std::atomic<bool> stop_ = false;
  SilentRing ring_;
  RecordWatch records_{0, false};
  std::unique_ptr<LiveSource> source_;
  std::optional<RecordOutput> output_;
  std::optional<MeteringWork> work_;
  std::optional<LiveService> service_;
  std::optional<LiveRounds> rounds_;
  std::optional<LiveParts> parts_;
  std::optional<LiveService::Watching> watching_;  // gone first
};

TEST_F(LiveServiceTest, ACaptureThatIsAskedForPacketsIsAlive) {
  start();
  EXPECT_TRUE(comes(hears("READY=1"), true)) << heard_;
  EXPECT_TRUE(comes(hears("WATCHDOG=1"), true)) << heard_;
  EXPECT_TRUE(comes(hears("STATUS=0 packets metered, 7 lost, 0 live flows"), true)) << heard_;
}

TEST_F(LiveServiceTest, OfOneThatHangsTheWatchdogHearsNothing) {
  start();
  ASSERT_TRUE(comes(hears("STATUS=0 packets")));
  std::this_thread::sleep_for(600ms);  // longer than the watchdog waits
  hears("")();
  EXPECT_EQ(heard_.find("WATCHDOG"), std::string::npos) << heard_;
}

TEST_F(LiveServiceTest, ItsEndIsToldAndLimited) {
  service_options_.drain_timeout = 300ms;
  start();
  EXPECT_FALSE(service_->gives_up());
  stop_ = true;
  EXPECT_TRUE(comes(hears("STOPPING=1"))) << heard_;
  EXPECT_TRUE(comes(hears("WATCHDOG=1"))) << heard_;  // nobody asks a ring any more
  EXPECT_TRUE(comes([&] { return service_->gives_up().load(); }));
}

// The ring has lost packets.
TEST_F(LiveServiceTest, ABoundOnRoundsIsLookedAt) {
  const std::string group = "[[group]]\nid = ", rule = "\nrule = [{ label = 'x' }]\n";
  const auto policy = std::make_shared<RunningPolicy>(
      PolicyMemory::load("[init]\ndefault = 1\n" + group + "1\nmatch = 2" + rule + group + "2" + rule), true);
  rounds_.emplace(std::make_shared<RoundsBound>(), policy, 1);
  start();
  EXPECT_TRUE(comes([&] { return rounds_->most() == 1; }));
}

TEST_F(LiveServiceTest, HangUpRotatesOnce) {
  output_options_.rotate_ns = 3600'000'000'000;
  output_options_.while_running = true;
  output_options_.tmpdir = folder_.path();
  output_options_.file = folder_.file("r.csv");
  start();
  const auto add_one = [&] {
    const auto section = output_->format().new_section();
    section->write(FlowRecord{}, nullptr);
    output_->append(*section);
  };
  const auto files = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      count += entry.path().extension() == ".csv";
    }
    return count;
  };
  add_one();
  service_->between_exports(*output_, false);
  EXPECT_EQ(files(), 0u);
  ++signals_.hang_ups;
  EXPECT_TRUE(comes([&] {
    service_->between_exports(*output_, false);
    return files() == 1;
  }));
  add_one();
  service_->between_exports(*output_, false);
  EXPECT_EQ(files(), 1u);
}

TEST_F(LiveServiceTest, MetricsAreThereFromTheBeginning) {
  if (!built_with_metrics()) GTEST_SKIP() << "apt-get install libmicrohttpd-dev and a new build run this";
  service_options_.metrics = MetricsAddress{};
  start();
  EXPECT_TRUE(service_->metrics_url().starts_with("http://127.0.0.1:")) << service_->metrics_url();
}

}  // namespace
}  // namespace warpmeter
