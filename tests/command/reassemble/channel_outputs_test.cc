// Several outputs have the same connections, each with a tag of its own; what they carried is counted once.
#include "command/reassemble/reassemble_run.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "support/stream_maker.h"

namespace warpmeter {
namespace {

using test::connection_of;
using test::ended_by;
using test::stream_key;
using test::StreamMaker;

// Keeps in the tag how many calls a connection has had, times a number of its own.
class CountingConsumer final : public StreamConsumer {
 public:
  explicit CountingConsumer(std::uint64_t step) : step_(step) {}
  void opened(TcpConnection& c) override { expect(c, 0); }
  void take(TcpConnection& c, const StreamBlock&) override { expect(c, calls_[c.opened_packet]); }
  void ended(TcpConnection& c, const ConnectionReport&) override { expect(c, calls_[c.opened_packet]); }

  const std::map<std::uint64_t, std::uint64_t>& calls() const { return calls_; }

 private:
  void expect(TcpConnection& c, std::uint64_t calls) {
    EXPECT_EQ(c.tag, calls * step_) << c.opened_packet;
    calls_[c.opened_packet] = calls + 1;
    c.tag = (calls + 1) * step_;
  }

  const std::uint64_t step_;
  std::map<std::uint64_t, std::uint64_t> calls_;
};

TEST(ChannelOutputs, GiveEachOutputItsOwnTags) {
  for (const std::size_t count : {1u, 2u, 3u}) {
    std::vector<CountingConsumer> outputs;
    for (std::size_t i = 0; i < count; ++i) outputs.emplace_back(100 + i);
    std::vector<StreamConsumer*> all;
    for (CountingConsumer& output : outputs) all.push_back(&output);
    ChannelOutputs channel(all);
    std::minstd_rand random(5);
    std::map<std::uint64_t, TcpConnection> open;
    std::map<std::uint64_t, std::uint64_t> wanted;
    for (std::uint64_t step = 1; step < 500; ++step) {
      if (open.size() < 8) {
        TcpConnection& c = open[step] = connection_of(step, stream_key());
        channel.opened(c);
        ++wanted[step];
      }
      const auto at = std::next(open.begin(), random() % open.size());
      ++wanted[at->first];
      if (random() % 3 == 0) {
        channel.ended(at->second, {});
        open.erase(at);
      } else {
        StreamMaker().add(StreamSide::client, "x").give(channel, at->second);
      }
    }
    for (const CountingConsumer& output : outputs) EXPECT_EQ(output.calls(), wanted);
  }
}

TEST(ChannelOutputs, SumUpWhatHasEnded) {
  CountingConsumer one(1), two(2);
  ChannelOutputs channel({&one, &two});
  const std::vector<StreamGap> gaps = {{0, 7}, {20, 3}};
  ConnectionReport whole = ended_by(StreamReason::fin), broken = ended_by(StreamReason::rst);
  for (StreamDirection& way : whole.directions) way = {{.submitted_bytes = 10}, true, true, true, true, {}};
  broken.directions[0] = {{.submitted_bytes = 1, .gap_bytes = 10}, true, true, false, false, gaps};
  broken.directions[1].complete = true;
  for (const ConnectionReport& report : {whole, broken, whole}) {
    TcpConnection c = connection_of(channel.totals().connections + 1, stream_key());
    channel.opened(c);
    StreamMaker().add(StreamSide::client, "x").give(channel, c);
    channel.ended(c, report);
  }
  StreamTotals totals = channel.totals();
  totals.add(channel.totals());
  EXPECT_EQ(totals.connections, 6u);
  EXPECT_EQ(totals.complete, 4u);
  EXPECT_EQ(totals.blocks, 6u);
  EXPECT_EQ(totals.gaps, 4u);
  EXPECT_EQ(totals.counters.submitted_bytes, 82u);
  EXPECT_EQ(totals.counters.gap_bytes, 20u);
  EXPECT_EQ(totals.ends[static_cast<std::size_t>(StreamReason::fin)], 4u);
  EXPECT_EQ(totals.ends[static_cast<std::size_t>(StreamReason::rst)], 2u);
}

}  // namespace
}  // namespace warpmeter
