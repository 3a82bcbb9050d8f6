// What is written comes back, whatever it is.
#include <gtest/gtest.h>

#include "core/biflow_key.h"
#include "support/extra_columns.h"
#include "support/fewer.h"
#include "support/parquet_bytes.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using test::parquet_of;
using test::read_back;
using test::shown;

FlowRecord other_direction(const FlowRecord& forward, std::mt19937_64& random) {
  FlowRecord record = test::random_record(random, false);
  record.key = key_of_answers(forward.key);
  return record;
}

std::vector<Biflow> random_flows(std::size_t count, const RecordLayout& layout, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Biflow> flows(count);
  for (Biflow& flow : flows) {
    flow.forward = test::random_record(random, layout.vlan);
    flow.has_reverse = layout.biflow && random() % 2;
    if (flow.has_reverse) flow.reverse = other_direction(flow.forward, random);
  }
  return flows;
}

void expect_round_trip(const std::vector<Biflow>& flows, const RecordLayout& layout) {
  const test::ScratchFolder folder;
  test::write_file(folder.file("flows"), parquet_of(flows, layout));
  const test::ReadBack back = read_back(folder.file("flows"));
  EXPECT_FALSE(back.damage) << back.damage->reason;
  EXPECT_EQ(back.layout.vlan, layout.vlan);
  EXPECT_EQ(back.layout.biflow, layout.biflow);
  ASSERT_EQ(back.flows.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_EQ(shown(back.flows[i].forward, back.layout), shown(flows[i].forward, layout)) << i;
    ASSERT_EQ(back.flows[i].has_reverse, flows[i].has_reverse) << i;
    if (!flows[i].has_reverse) continue;
    ASSERT_EQ(shown(back.flows[i].reverse, back.layout), shown(flows[i].reverse, layout)) << i;
  }
}

TEST(ParquetRoundTrip, KeepsEveryFieldOfAnyLayout) {
  for (const bool vlan : {false, true}) {
    for (const bool biflow : {false, true}) {
      for (const std::uint32_t absent : {0u, not_counted_by(Method::five_tuple)}) {
        const RecordLayout layout{vlan, biflow, absent};
        expect_round_trip(random_flows(5000, layout, 1 + vlan + 2 * biflow + absent), layout);
      }
    }
  }
}

TEST(ParquetRoundTrip, KeepsFirstPackets) {
  const RecordLayout layout{.biflow = true,
                            .extra = {test::extra_column("first_packet"), test::extra_column("reverse_first_packet")}};
  std::vector<Biflow> flows = random_flows(3000, layout, 12);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].forward.arrival = i % 4, flows[i].reverse.arrival = i << 40;
  const test::ScratchFolder folder;
  test::write_file(folder.file("flows"), parquet_of(flows, layout));
  const test::ReadBack back = read_back(folder.file("flows"));
  ASSERT_FALSE(back.damage) << back.damage->reason;
  ASSERT_EQ(back.flows.size(), flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ASSERT_EQ(back.flows[i].forward.arrival, flows[i].forward.arrival) << i;
    if (flows[i].has_reverse) {
      ASSERT_EQ(back.flows[i].reverse.arrival, flows[i].reverse.arrival) << i;
    }
  }
}

TEST(ParquetRoundTrip, KeepsMicroseconds) {
  const RecordLayout layout{
      .vlan = true, .biflow = true, .times = TimeForm::us, .extra = {test::extra_column("community_id")}};
  const RecordLayout in_ns{.vlan = true, .biflow = true};
  const std::vector<Biflow> flows = random_flows(3000, layout, 11);
  std::vector<Biflow> cut = flows;
  for (Biflow& flow : cut) {
    for (FlowRecord* record : {&flow.forward, &flow.reverse}) {
      // What is left of the first microsecond of 64 bits cannot be written.
      for (std::int64_t* ns : {&record->start_ns, &record->end_ns, &record->connection_ns}) {
        *ns = std::max(whole_us(*ns), INT64_MIN / 1000) * 1000;
      }
    }
  }
  const test::ScratchFolder folder;
  test::write_file(folder.file("us"), parquet_of(cut, layout));
  const test::ReadBack back = read_back(folder.file("us"));
  ASSERT_FALSE(back.damage) << back.damage->reason;
  ASSERT_EQ(back.flows.size(), cut.size());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    ASSERT_EQ(shown(back.flows[i].forward, back.layout), shown(cut[i].forward, in_ns)) << i;
    ASSERT_EQ(back.flows[i].has_reverse, cut[i].has_reverse) << i;
    if (!cut[i].has_reverse) continue;
    ASSERT_EQ(shown(back.flows[i].reverse, back.layout), shown(cut[i].reverse, in_ns)) << i;
  }
  EXPECT_EQ(parquet_of(back.flows, layout), parquet_of(cut, layout));
}

TEST(ParquetRoundTrip, KeepsAFileWithoutFlows) {
  expect_round_trip({}, {});
  expect_round_trip({}, {.vlan = true, .biflow = true});
}

TEST(ParquetRoundTrip, GoesOnInTheNextRowGroup) {
  const std::vector<Biflow> some = random_flows(999, {}, 7);
  std::vector<Biflow> flows;
  for (std::size_t i = 0; i < kRowsInGroup + 5; ++i) flows.push_back(some[i % some.size()]);
  const test::ScratchFolder folder;
  test::write_file(folder.file("flows"), parquet_of(flows, {}));
  const test::ReadBack back = read_back(folder.file("flows"));
  ASSERT_FALSE(back.damage) << back.damage->reason;
  ASSERT_EQ(back.flows.size(), flows.size());
  // Some of the first group, and all from near its end on.
  for (std::size_t i = 0; i < flows.size(); i += i < kRowsInGroup - 1000 ? test::if_long(1, 101) : 1) {
    ASSERT_EQ(shown(back.flows[i].forward, back.layout), shown(flows[i].forward, {})) << i;
  }
}

TEST(ParquetRoundTrip, TellsAbsentFromNotApplicable) {
  Biflow tcp, udp;
  tcp.forward = udp.forward = FlowRecord();
  for (Biflow* flow : {&tcp, &udp}) flow->forward.key.version = 4;
  tcp.forward.key.protocol = kProtocolTcp;
  tcp.forward.absent = 1u << column_number("missing_bytes") | 1u << column_number("packets");
  udp.forward.key.protocol = kProtocolUdp;
  const test::ScratchFolder folder;
  test::write_file(folder.file("flows"), parquet_of({tcp, udp}, {}));
  const test::ReadBack back = read_back(folder.file("flows"));
  ASSERT_EQ(back.flows.size(), 2u);
  EXPECT_EQ(back.flows[0].forward.absent, tcp.forward.absent);
  EXPECT_EQ(back.flows[0].forward.flags, 0);
  EXPECT_EQ(back.flows[1].forward.absent, 0u);
  EXPECT_EQ(back.layout.absent, 0u);
}

TEST(ParquetWriter, GivesTheSameBytesForTheSameRecords) {
  const std::vector<Biflow> flows = random_flows(3000, {}, 3);
  EXPECT_EQ(parquet_of(flows, {}), parquet_of(flows, {}));
}

// Fails where the disk is full, and counts what comes after.
struct FullSink : ByteSink {
  explicit FullSink(std::size_t bytes) : room(bytes) {}
  void write(const void*, std::size_t count) override {
    if (failed) ++late_writes;
    if (count > room) {
      failed = true;
      throw Error("out.parquet: cannot be written: No space left on device");
    }
    room -= count;
  }
  std::size_t room;
  bool failed = false;
  int late_writes = 0;
};

TEST(ParquetWriter, PassesTheSinksErrorOnAndWritesNoMore) {
  const std::vector<Biflow> flows = random_flows(20'000, {}, 5);
  const std::size_t whole = parquet_of(flows, {}).size();
  for (const std::size_t room : {std::size_t{0}, std::size_t{4}, whole / 2, whole - 1}) {
    FullSink sink(room);
    EXPECT_EQ(test::thrown_text([&] {
                RecordFileWriter writer(sink, {});
                writer.begin();
                for (const Biflow& flow : flows) writer.write(flow.forward, nullptr);
                writer.end();
              }),
              "out.parquet: cannot be written: No space left on device")
        << room;
    EXPECT_EQ(sink.late_writes, 0);
  }
}

TEST(ParquetWriter, WritesNoEndOfAFileThatIsGivenUp) {
  test::StringSink sink;
  {
    RecordFileWriter writer(sink, {});
    writer.begin();
    writer.write(random_flows(1, {}, 1)[0].forward, nullptr);
  }
  EXPECT_EQ(sink.text, "PAR1");
}

}  // namespace
}  // namespace warpmeter
