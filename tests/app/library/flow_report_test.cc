// The page of `report` from a program: of files and of Arrow arrays, and none where nobody wants it any more.
#include "warpmeter/flow_report.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/arrow_stream.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/selection.h"

namespace warpmeter {
namespace {

ArrowArrayStream lossy_stream(int count) {
  std::vector<Biflow> flows;
  for (int port = 0; port < count; ++port) {
    Biflow flow;
    flow.forward.key.version = 4;
    flow.forward.key.protocol = kProtocolTcp;
    set_port_number(flow.forward.key.source_port, port % 60000);
    flow.forward.packets = flow.forward.data_segments = 100;
    flow.forward.retransmitted_segments = 27;
    flows.push_back(flow);
  }
  return test::batches_of(flows, {}, 1000).stream();
}

std::string page_of(FlowReport& report, const std::string& file) {
  report.wait();
  return test::file_text(file);
}

TEST(FlowReport, IsThatOfTheSameFlowsInAFile) {
  const test::ScratchFolder folder;
  const std::string csv = folder.file("flows.csv"), first = folder.file("1.html"), second = folder.file("2.html");
  ArrowArrayStream stream = lossy_stream(100);
  Selection to_file(stream, "flows", {{"output", csv}});
  for (std::vector<Biflow> flows; to_file.next(flows);) continue;

  const Options options = {{"title", "Uplink"}, {"top", "5"}};
  FlowReport of_file({csv}, first, options);
  stream = lossy_stream(100);
  FlowReport of_arrays(stream, csv, second, options);
  const std::string page = page_of(of_file, first);
  EXPECT_NE(page.find("Uplink"), std::string::npos);
  EXPECT_EQ(page_of(of_arrays, second), page);
  EXPECT_EQ(nlohmann::json::parse(of_arrays.summary())["flows read"], 100);
  EXPECT_TRUE(of_arrays.warnings().empty());
}

TEST(FlowReport, SaysWhatIsWrong) {
  const test::ScratchFolder folder;
  const std::string page = folder.file("page.html");
  const auto start = [&](const Options& options) { FlowReport report({"x.csv"}, page, options); };
  EXPECT_EQ(test::thrown_text([&] { start({{"rows", "5"}}); }).substr(0, 27), "report has no option --rows");
  EXPECT_NE(test::thrown_text([&] { start({{"top", "0"}}); }), "");
  EXPECT_NE(test::thrown_text([&] { FlowReport report({"x.csv"}, "", {}); }), "");

  FlowReport missing({"/nowhere/x.csv"}, page);
  EXPECT_EQ(test::thrown_text([&] { missing.wait(); }), "/nowhere/x.csv: cannot be read: No such file or directory");
  EXPECT_THROW(missing.wait(), CaptureError);
  EXPECT_EQ(nlohmann::json::parse(missing.summary())["exit status"], 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FlowReport, OneThatIsDroppedLeavesNoPage) {
  const test::ScratchFolder folder;
  for (int i = 0; i < 5; ++i) {
    ArrowArrayStream stream = lossy_stream(10000);
    { FlowReport report(stream, "flows", folder.file("page.html")); }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST(FlowReport, OneThatIsInterruptedTellsOfWhatWasRead) {
  const test::ScratchFolder folder;
  ArrowArrayStream stream = lossy_stream(50000);
  FlowReport report(stream, "flows", folder.file("page.html"));
  report.interrupt();
  EXPECT_NE(page_of(report, folder.file("page.html")), "");
  EXPECT_EQ(nlohmann::json::parse(report.summary())["exit status"], 130);
}

}  // namespace
}  // namespace warpmeter
