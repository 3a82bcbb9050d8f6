// What libwarpmeter gives of `packets`: rows, captures, or both, of captures and of flows that the program has.
#include "warpmeter/packet_selection.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/extraction.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

// Of each of so many flows two packets; their source ports are 0, 1, ...
std::string packets_trace_in(const test::ScratchFolder& folder, std::uint16_t flows) {
  test::PcapFile file({.link = kLinkRaw});
  std::uint32_t second = 1;
  for (int again = 0; again < 2; ++again) {
    for (std::uint16_t port = 0; port < flows; ++port) {
      file.record(++second, 0, test::ip4({}, test::tcp({.source_port = port}, {1, 2, 3})));
    }
  }
  return folder.write("trace.pcap", file.data());
}

struct PacketRows {
  std::vector<std::string> names;
  std::int64_t count = 0;
};

PacketRows packet_rows_of(FlowSource& run) {
  PacketRows rows;
  for (ArrowArray array{}; run.next(array); array.release(&array)) rows.count += array.length;
  ArrowSchema schema{};
  run.schema(schema);
  for (std::int64_t i = 0; i < schema.n_children; ++i) rows.names.emplace_back(schema.children[i]->name);
  schema.release(&schema);
  return rows;
}

std::string packets_summary_of(const Job& run, const char* key) {
  return nlohmann::json::parse(run.summary())[key].dump();
}

TEST(PacketSelection, GivesRows) {
  const test::ScratchFolder folder;
  PacketSelection all({packets_trace_in(folder, 9)}, {}),
      some({folder.file("trace.pcap")}, {{"filter", "src_port < 3"}});
  const PacketRows rows = packet_rows_of(all);
  EXPECT_EQ(rows.count, 18);
  EXPECT_EQ(rows.names.front(), "number");
  EXPECT_EQ(rows.names.back(), "flow");
  EXPECT_EQ(packet_rows_of(some).count, 6);
  EXPECT_EQ(packets_summary_of(some, "packets_written"), "6");
  EXPECT_EQ(packets_summary_of(some, "flows_selected"), "3");
}

TEST(PacketSelection, WritesCapturesWithRowsOrWithout) {
  const test::ScratchFolder folder;
  const std::string trace = packets_trace_in(folder, 9), alone = folder.file("alone.pcap"),
                    both = folder.file("both.pcap");
  PacketSelection capture({trace}, {{"filter", "src_port < 3"}, {"output", alone}}),
      and_rows({trace}, {{"filter", "src_port < 3"}, {"output", both}, {"table", ""}});
  const PacketRows none = packet_rows_of(capture);
  EXPECT_EQ(none.count, 0);
  EXPECT_TRUE(none.names.empty());
  EXPECT_EQ(packet_rows_of(and_rows).count, 6);
  EXPECT_EQ(test::file_text(alone), test::file_text(both));
  EXPECT_GT(test::file_text(alone).size(), 6u * 56);
}

TEST(PacketSelection, OfFlowsOfTheProgram) {
  const test::ScratchFolder folder;
  const std::string trace = packets_trace_in(folder, 9);
  auto extraction = std::make_shared<Extraction>(std::vector{trace}, Options{}, Delivery::arrow);
  ArrowArrayStream flows{};
  export_stream(extraction, flows);
  PacketSelection run({trace}, flows, "flows", {{"filter", "src_port >= 7"}});
  EXPECT_EQ(packet_rows_of(run).count, 4);
  EXPECT_EQ(packets_summary_of(run, "flows"), "9");
}

TEST(PacketSelection, GivesFeatures) {
  const test::ScratchFolder folder;
  PacketSelection run({packets_trace_in(folder, 9)}, {{"features", ""}, {"first-packets", "1"}});
  const PacketRows rows = packet_rows_of(run);
  EXPECT_EQ(rows.count, 9);
  EXPECT_EQ(rows.names.back(), "splt_piat_ns");
  EXPECT_EQ(packets_summary_of(run, "flows_written"), "9");
}

TEST(PacketSelection, RefusesWhatIsWrong) {
  const test::ScratchFolder folder;
  const std::string trace = packets_trace_in(folder, 1);
  const auto problem = [&](const Options& options) {
    return test::thrown_text([&] { PacketSelection({trace}, options); });
  };
  EXPECT_NE(problem({{"filter", "pakets > 1"}}).find("no column"), std::string::npos);
  EXPECT_NE(problem({{"packets", ""}}).find("--packets"), std::string::npos);
  EXPECT_NE(problem({{"table", "yes"}}).find("--table 'yes': takes no value"), std::string::npos);
  EXPECT_NE(problem({{"format", "csv"}}).find("--format goes with --output"), std::string::npos);
  EXPECT_NE(problem({{"output", folder.file("x.ipfix")}}).find("which form"), std::string::npos);
  EXPECT_EQ(test::thrown_text([] { PacketSelection({}, {}); }), "there are no inputs");
  PacketSelection over({trace}, {{"output", trace}});
  EXPECT_NE(test::thrown_text([&] { packet_rows_of(over); }).find("trace.pcap"), std::string::npos);
}

TEST(PacketSelection, DroppedLeavesNoOutput) {
  const test::ScratchFolder folder;
  const std::string trace = packets_trace_in(folder, 60'000);
  {
    PacketSelection run({trace}, {{"output", folder.file("x.pcap")}, {"table", ""}});
    ArrowArray first{};
    ASSERT_TRUE(run.next(first));
    first.release(&first);
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.pcap")));
}

}  // namespace
}  // namespace warpmeter
