// The whole way once, by hand; and everything that ends it early.
#include "command/extract/extract.h"

#include <gtest/gtest.h>

#include "pipeline/metering/played_device.h"
#include "support/json_text.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::ScratchFolder;
using test::thrown_text;

constexpr char kRawIp = 101;

std::string pcap_header(char link) {
  std::string header("\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\0\0\x04\0\0\0\0\0", 24);
  header[20] = link;
  return header;
}

// 10.0.0.1:53 to 10.0.0.2:54, 28 bytes, at `second` and 5 us.
std::string datagram(char second) {
  std::string record("\0\0\0\0\x05\0\0\0\x1c\0\0\0\x1c\0\0\0", 16);
  record[0] = second;
  return record + std::string("\x45\0\0\x1c\0\x01\0\0\x40\x11\0\0\x0a\0\0\x01\x0a\0\0\x02\0\x35\0\x36\0\x08\0\0", 28);
}

class Extract : public testing::Test {
 protected:
  Extract() {
    options_.inputs = {folder_.file("in.pcap")};
    options_.output.file = folder_.file("out.csv");
    options_.tmpdir = folder_.path();
    options_.threads = 2;
    options_.batch = 10;
    options_.memory = 64 << 20;
    options_.quiet = true;
    test::write_file(folder_.file("in.pcap"), pcap_header(kRawIp) + datagram(1) + datagram(2));
  }

  ExitStatus run() { return extract(options_, interrupted_); }
  std::string refused() {
    return thrown_text([&] { run(); });
  }
  // Behind the header.
  std::string rows() const {
    const std::string text = file_text(options_.output.file);
    return text.substr(text.find('\n') + 1);
  }

  const ScratchFolder folder_;
  ExtractOptions options_;
  std::atomic<bool> interrupted_ = false;
};

TEST_F(Extract, WritesFlowRecords) {
  EXPECT_EQ(run(), ExitStatus::ok);
  EXPECT_EQ(rows(), "10.0.0.1,10.0.0.2,53,54,17,1000005000,2000005000,2,56,,,,,0,0,,,,,,,,,,,4,\n");
  EXPECT_EQ(folder_.entries(), 2u);
}

TEST_F(Extract, CaptureWithoutPacketsGivesTheHeader) {
  test::write_file(folder_.file("in.pcap"), pcap_header(kRawIp));
  EXPECT_EQ(run(), ExitStatus::ok);
  EXPECT_EQ(rows(), "");
}

TEST_F(Extract, WritesStats) {
  options_.stats_file = folder_.file("stats.json");
  options_.run_memory = 1;
  options_.meter.timeouts.idle_ns = 1;  // so that a flow ends before the input does
  run();
  const auto stats = test::parsed(file_text(options_.stats_file));
  EXPECT_EQ(stats["exit status"], 0);
  EXPECT_EQ(stats["packets read"], 2);
  EXPECT_EQ(stats["packets metered"], 2);
  EXPECT_EQ(stats["rows"], 2);
  EXPECT_EQ(stats["totals"]["bytes"], 56);
  EXPECT_EQ(stats["flows by end reason"]["idle timeout"], 1);
  EXPECT_EQ(stats["flows by end reason"]["end of input"], 1);
  EXPECT_EQ(stats["runs written"], 1);
  EXPECT_EQ(stats["bytes read"], 24 + 2 * 44);
  EXPECT_EQ(stats["backend"]["threads"], 2);
}

TEST_F(Extract, QuietSaysNothing) {
  testing::internal::CaptureStderr();
  run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Extract, SummarizesUnlessQuiet) {
  options_.quiet = false;
  testing::internal::CaptureStderr();
  run();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("packets metered     2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("flow records        1\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("evicted"), std::string::npos) << text;
}

TEST_F(Extract, InterruptedItIsValidAndSaysSo) {
  interrupted_ = true;
  EXPECT_EQ(run(), ExitStatus::interrupted);
  EXPECT_TRUE(file_text(options_.output.file).starts_with("src_addr,"));
  EXPECT_EQ(rows(), "");
}

TEST_F(Extract, DamageIsReportedAndTheRestIsThere) {
  test::write_file(folder_.file("in.pcap"), pcap_header(kRawIp) + datagram(1) + datagram(2).substr(0, 30));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), ExitStatus::damaged);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("in.pcap: damaged at byte 68"), std::string::npos) << text;
  EXPECT_EQ(rows(), "10.0.0.1,10.0.0.2,53,54,17,1000005000,1000005000,1,28,,,,,0,0,,,,,,,,,,,4,\n");
}

TEST_F(Extract, MissingInputIsNamed) {
  options_.inputs = {folder_.file("nothing.pcap")};
  EXPECT_NE(refused().find("nothing.pcap"), std::string::npos);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, WhatIsNoCaptureIsNamed) {
  test::write_file(folder_.file("in.pcap"), std::string("hello, this is no capture at all"));
  EXPECT_NE(refused().find("in.pcap"), std::string::npos);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, UnknownLinkTypeIsAnError) {
  test::write_file(folder_.file("in.pcap"), pcap_header(static_cast<char>(147)) + datagram(1));
  EXPECT_NE(refused().find("in.pcap"), std::string::npos);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, MissingOutputFolderIsNamed) {
  options_.output.file = "/nowhere/out.csv";
  EXPECT_NE(refused().find("/nowhere/out.csv: cannot be written"), std::string::npos);
}

TEST_F(Extract, WithoutRoomForRunFilesLeavesNothing) {
  options_.tmpdir = folder_.file("missing");
  options_.run_memory = 1;
  options_.meter.timeouts.idle_ns = 1;
  EXPECT_NE(refused().find("missing"), std::string::npos);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, FullDiskIsToldInTheStats) {
  options_.output.file = "/dev/full";
  options_.stats_file = folder_.file("stats.json");
  const std::string message = refused();
  EXPECT_NE(message.find("No space left"), std::string::npos);
  const auto stats = test::parsed(file_text(options_.stats_file));
  EXPECT_EQ(stats["exit status"], 1);
  EXPECT_EQ(stats["error"], message);
  EXPECT_EQ(folder_.entries(), 2u);
}

TEST_F(Extract, OfSeveralOutputsNoneIsThereIfOneFails) {
  options_.output.file = folder_.file("out.csv");
  options_.output.also.emplace_back().file = "/dev/full";
  EXPECT_NE(refused().find("No space left"), std::string::npos);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, OutputsAreNoInputsAndNotEachOther) {
  const std::string input = folder_.file("in.pcap"), before = file_text(input);
  options_.output.file = folder_.file("../") + std::filesystem::path(folder_.path()).filename().string() + "/in.pcap";
  EXPECT_NE(refused().find("is an input too"), std::string::npos);
  options_.output.file = folder_.file("out.csv");
  options_.stats_file = input;
  EXPECT_NE(refused().find("is an input too"), std::string::npos);
  options_.stats_file = folder_.file("./out.csv");
  EXPECT_NE(refused().find("is another output too"), std::string::npos);
  EXPECT_EQ(file_text(input), before);
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, BadFilterIsAnError) {
  options_.filter = "this is no filter";
  EXPECT_NE(refused(), "");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_F(Extract, BackendThatCannotBeHadIsAnError) {
  options_.backend = Backend::cuda;
  EXPECT_NE(refused().find("--backend cuda"), std::string::npos);
}

// Every packet has an id of its own: a byte, the same again, and one below the highest.
class ExtractFiveTuple : public Extract {
 protected:
  ExtractFiveTuple() {
    options_.meter.method = Method::five_tuple;
    options_.stats_file = folder_.file("stats.json");
    test::PcapFile file(test::PcapDialect{.link = kRawIp});
    std::uint16_t id = 0;
    for (const std::uint32_t sequence : {100, 100, 50}) {
      file.record(1, 0, test::ip4({.id = ++id}, test::tcp({.sequence = sequence}, {7})));
    }
    test::write_file(folder_.file("in.pcap"), file.data());
  }
  nlohmann::json run_for_stats() {
    EXPECT_EQ(run(), ExitStatus::ok);
    return test::parsed(file_text(options_.stats_file));
  }
};

TEST_F(ExtractFiveTuple, LeavesEmptyWhatItDoesNotCount) {
  options_.backend = Backend::cpu;
  options_.meter.five_tuple.block = 10;
  const auto stats = run_for_stats();
  EXPECT_EQ(rows(), "10.0.0.1,10.0.0.2,40000,443,6,1000000000,1000000000,3,123,3,3,1,1,0,0,,,,0,0,0,0,16,,,4,\n");
  EXPECT_EQ(stats["method"], "five-tuple");
  EXPECT_EQ(stats["block"], 10);
  EXPECT_EQ(stats["totals"]["retransmitted_segments"], 1);
  EXPECT_TRUE(stats["totals"]["missing_bytes"].is_null());
  EXPECT_EQ(stats["metered on the CPU"], 0);
}

TEST_F(ExtractFiveTuple, BlockIsWhatThreeEighthsOfTheMemoryHold) {
  options_.backend = Backend::cpu;
  EXPECT_EQ(run_for_stats()["block"], (64 << 20) / 8 * 3 / 160);
  options_.memory = std::uint64_t{1} << 50;
  EXPECT_EQ(run_for_stats()["block"], kLargestBlock);
}

TEST_F(ExtractFiveTuple, DeviceThatCannotBeMadeIsReplacedByTheCpu) {
  options_.make_device = [](const DeviceMeterOptions&) -> std::unique_ptr<DeviceMeter> {
    throw DeviceError("no room");
  };
  testing::internal::CaptureStderr();
  const auto stats = run_for_stats();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warpmeter: GPU: no room; metering on the CPU\n");
  EXPECT_EQ(stats["backend"]["name"], "cpu");
  EXPECT_EQ(stats["backend"]["reason"], "GPU: no room");
  EXPECT_EQ(stats["totals"]["packets"], 3);
}

TEST_F(ExtractFiveTuple, DeviceThatCannotBeMadeIsAnErrorIfItWasAskedFor) {
  options_.backend = Backend::cuda;
  options_.make_device = [](const DeviceMeterOptions&) -> std::unique_ptr<DeviceMeter> {
    throw DeviceError("no room");
  };
  EXPECT_EQ(refused(), "GPU: no room");
  EXPECT_EQ(test::parsed(file_text(options_.stats_file))["error"], "GPU: no room");
}

TEST_F(ExtractFiveTuple, DevicesOfWhichOneCannotBeMadeAreReplacedByTheCpu) {
  test::Played played;
  int calls = 0;
  options_.gpus = {0, 1};
  options_.make_device = [&](const DeviceMeterOptions&) -> std::unique_ptr<DeviceMeter> {
    if (++calls == 2) throw DeviceError("no room");
    return std::make_unique<test::PlayedDevice>(played);
  };
  testing::internal::CaptureStderr();
  const auto stats = run_for_stats();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warpmeter: GPU: no room; metering on the CPU\n");
  EXPECT_EQ(stats["backend"]["name"], "cpu");
  EXPECT_EQ(stats["totals"]["packets"], 3);
  EXPECT_EQ(calls, 2);
}

// What the device is asked to be like: batches large enough to be worth a copy, and its own choice of the block.
TEST_F(ExtractFiveTuple, DeviceIsAskedForLargeBatches) {
  DeviceMeterOptions asked;
  options_.batch = 0;
  options_.make_device = [&](const DeviceMeterOptions& wanted) -> std::unique_ptr<DeviceMeter> {
    asked = wanted;
    throw DeviceError("no room");
  };
  options_.backend = Backend::cuda;
  refused();
  EXPECT_EQ(asked.batch, kDefaultBatch);  // the file has fewer packets
  EXPECT_GT(asked.most_packets, 0u);
  EXPECT_EQ(asked.meter.method, Method::five_tuple);
  EXPECT_EQ(asked.meter.five_tuple.block, 0u);
}

}  // namespace
}  // namespace warpmeter
