// What is given with Flow Records that leave one by one is what all of them get that are joined in the end.
#include "flow/runs/live_annotations.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

#include "flow/runs/join.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using Kind = AnnotationReach::Kind;

constexpr Timeouts kLeavingTimeouts{.idle_ns = 50, .active_ns = 0};

Partial leaving_partial(std::uint32_t flow, std::uint64_t first) {
  const auto time = static_cast<std::int64_t>(first);
  Partial partial = test::test_record(flow, time, time, first);
  partial.key = test::numbered_key(flow, 17);
  return partial;
}

// Packets of three Flow Keys, whose flows and connections begin and end at random.
class LeavingFlows {
 public:
  // `most`: texts that are given with a Flow Record; `calm`: few flows and connections end, and there are many texts.
  explicit LeavingFlows(unsigned seed, std::size_t most = kMostKept, bool calm = false)
      : calm_(calm), random_(seed), most_(most) {}

  // As text: "0@5 a b", the flow, its first packet, what is noted of it.
  std::vector<std::string> leaving, joined;

  void run() {
    for (std::uint64_t number = 1; number < (calm_ ? 1000 : 200); ++number) {
      packet(number, random_() % flows_.size());
      if (random_() % 5 != 0) continue;
      leave();
      in_batch_ = number + 1;
    }
    leave();
    PartialChunk last = live_.of_living();
    for (std::uint32_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].record) last.push_back(leaving_partial(i, *flows_[i].record));
    }
    give(last);
    log_.flush();
    list(all_, joined);
    std::ranges::sort(leaving);
    std::ranges::sort(joined);
  }

 private:
  struct Flow {
    std::optional<std::uint64_t> record;
    std::uint64_t connection = 0, first = 0;
    bool is_marked = false;
  };

  void packet(std::uint64_t number, std::uint32_t at) {
    Flow& flow = flows_[at];
    if (flow.connection == 0 || random_() % (calm_ ? 100 : 10) == 0) {
      if (flow.is_marked) note(at, number, "", {random_() % 2 ? Kind::end : Kind::pushed_out, flow.connection});
      flow = {flow.record, ++connections_, number, false};
    }
    if (random_() % 3 == 0) {
      note(at, number, text());
      const std::uint64_t since = std::max(in_batch_, flow.first);
      if (random_() % 2 == 0) note(at, since + random_() % (number - since + 1), text(), {Kind::records, number});
    }
    if (random_() % 4 == 0) {
      const Kind begin = random_() % 2 ? Kind::begin : Kind::join;
      // What has left by now would not get it.
      const std::string with_it = flow.first < in_batch_ || random_() % 2 ? "" : text() + "," + text();
      if (!std::exchange(flow.is_marked, true)) note(at, flow.first, with_it, {begin, flow.connection});
      note(at, number, text(), {Kind::connection, flow.connection});
    }
    if (flow.record && (calm_ ? random_() % 50 != 0 : random_() % 5 != 0)) return;
    if (flow.record) ended_.push_back(leaving_partial(at, *flow.record));
    flow.record = number;
  }
  std::string text() { return std::string(1, static_cast<char>('a' + random_() % (calm_ ? 26 : 6))); }

  void note(std::uint32_t flow, std::uint64_t packet, const std::string& text, const AnnotationReach& reach = {}) {
    const Annotation annotation{packet, 0, text};
    const FlowKey key = test::numbered_key(flow, 17);
    log_.add(key, annotation, reach, packet);
    live_.add(key, annotation, reach, packet);
  }

  void leave() {
    live_.settle(ended_);
    give(std::exchange(ended_, {}));
    live_.put_away();
  }
  void give(const PartialChunk& some) {
    RunStore runs{RunStoreOptions{folder_.path(), arrival_order, 1 << 20, 1}};
    for (const Partial& partial : some) {
      if (!is_annotation(partial)) all_.add({partial});
    }
    runs.add(some);
    list(runs, leaving);
  }
  void list(RunStore& runs, std::vector<std::string>& to) const {
    const auto sorted = runs.sorted(1);
    for (const KeyRange& range : sorted->cut(2)) {
      AnnotatedRecords records(std::make_unique<Join>(sorted->in(range), kLeavingTimeouts));
      for (; records.head(); records.advance()) {
        std::string& text = to.emplace_back(std::to_string(records.head()->key.source[3]));
        text += '@' + std::to_string(records.head()->arrival);
        Annotations annotations = records.annotations();
        annotations.keep_first(0, most_);
        for (const std::string_view label : annotations.list_of(0)) text += ' ' + std::string(label);
      }
    }
  }

  const test::ScratchFolder folder_;
  const bool calm_;
  std::mt19937 random_;
  const std::size_t most_;
  RunStore all_{RunStoreOptions{folder_.path(), arrival_order, 1 << 20, 1}};
  AnnotationLog log_{all_};
  std::array<Flow, 3> flows_;
  std::uint64_t connections_ = 0;
  PartialChunk ended_;
  std::uint64_t in_batch_ = 1;  // the first packet
  LiveAnnotations live_{{},
                        [this](const FlowKey& key) -> std::optional<std::uint64_t> {
                          for (std::uint32_t i = 0; i < flows_.size(); ++i) {
                            if (test::numbered_key(i, 17) == key) return flows_[i].record;
                          }
                          return std::nullopt;
                        },
                        most_};
};

TEST(LiveAnnotations, AreThoseOfAJoinOfAll) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    LeavingFlows flows(seed);
    flows.run();
    ASSERT_EQ(flows.leaving, flows.joined) << "seed " << seed;
  }
}

TEST(LiveAnnotations, AreTheFirstOfAJoinOfAll) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    LeavingFlows flows(seed, 3, true);
    flows.run();
    ASSERT_EQ(flows.leaving, flows.joined) << "seed " << seed;
  }
}

TEST(LiveAnnotations, KeepsNoMoreThanAFlowRecordHas) {
  LiveAnnotations live({}, [](const FlowKey&) { return std::optional<std::uint64_t>(1); });
  for (std::uint64_t packet = 1; packet <= 5000; ++packet) {
    live.add(test::numbered_key(0, 17), {packet, 0, std::to_string(packet)}, {}, packet);
    live.put_away();
  }
  EXPECT_EQ(live.of_living().size(), kMostKept);
}

TEST(LiveAnnotations, NothingIsKeptOfWhatHasEnded) {
  std::optional<std::uint64_t> living = 1;
  LiveAnnotations live({}, [&](const FlowKey&) { return living; });
  const FlowKey key = test::numbered_key(0, 17);
  live.add(key, {1, 0, ""}, {Kind::begin, 7}, 1);
  live.add(key, {1, 0, "a"}, {Kind::connection, 7}, 1);
  live.put_away();
  EXPECT_EQ(live.of_living().size(), 1u);
  living.reset();
  PartialChunk ended = {leaving_partial(0, 1)};
  live.settle(ended);
  EXPECT_EQ(ended.size(), 2u);
  EXPECT_EQ(live.flows(), 1u) << "the connection may go on";
  live.add(key, {5, 0, ""}, {Kind::end, 7}, 5);
  live.put_away();
  EXPECT_EQ(live.flows(), 0u);
}

// A label of scope flow may come with each of very many packets.
TEST(LiveAnnotations, KeepsATextOfAFlowOnce) {
  LiveAnnotations live({}, [](const FlowKey&) { return std::optional<std::uint64_t>(1); });
  for (std::uint64_t packet = 1; packet <= 10000; ++packet) {
    live.add(test::numbered_key(0, 17), {packet, 0, "a"}, {}, packet);
    live.put_away();
  }
  EXPECT_LE(live.of_living().size(), 32u);
}

}  // namespace
}  // namespace warpmeter
