// Pcap record headers of zeros: damage where nothing but zeros comes behind them, otherwise packets without bytes; the
// same for files, for chunks that begin among zeros, and for pipes, which do not show their end.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "support/chunks.h"
#include "support/pcap_file.h"
#include "support/pipe.h"
#include "support/read_capture.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSeconds = 1'700'000'000;
constexpr const char* kZeros = "zeros up to the end";

PcapFile five_packets(const PcapDialect& dialect = {}) {
  PcapFile file(dialect);
  for (std::uint32_t i = 0; i < 5; ++i) file.record(kSeconds + i, 0, counting_bytes(62));
  return file;
}

// As a file, as chunks, and as a pipe.
void expect_all(const Bytes& file, std::size_t frames, std::uint64_t offset, const std::string& reason) {
  const ScratchFolder folder;
  const std::string path = folder.write("capture", file);
  const std::atomic<bool> stop = false;
  const TraceContent in_order = read_in_order({path});
  EXPECT_EQ(in_order.packets.size(), frames);
  const std::vector<TraceContent::Place> expected =
      reason.empty() ? std::vector<TraceContent::Place>{} : std::vector<TraceContent::Place>{{path, offset, reason}};
  EXPECT_EQ(in_order.damage, expected);
  for (const std::uint64_t bytes : {16u, 100u, 1000u, 1u << 20}) {
    SCOPED_TRACE(bytes);
    Trace trace({path}, stop);
    Committer committer(trace);
    EXPECT_TRUE(read_ahead(trace, {.bytes = bytes, .piece = 200}, 3, committer) == in_order);
    EXPECT_EQ(committer.mistakes, 0);
  }
  const ReadCapture piped = read_piped(file);
  EXPECT_EQ(piped.frames.size(), frames);
  ASSERT_EQ(piped.damage.has_value(), !reason.empty());
  if (reason.empty()) return;
  EXPECT_EQ(piped.damage->offset, offset);
  EXPECT_EQ(piped.damage->reason, reason);
}

TEST(PcapZeros, UpToTheEndAreDamage) {
  const std::uint64_t end = five_packets().size();
  ASSERT_EQ(end, 414u);
  for (const std::size_t zeros : {16u, 17u, 31u, 4096u, 100'000u}) {
    SCOPED_TRACE(zeros);
    expect_all(five_packets().raw(Bytes(zeros)).data(), 5, end, kZeros);
  }
}

TEST(PcapZeros, FewerThanAHeaderAreOneCutShort) {
  for (const std::size_t zeros : {1u, 15u}) {
    expect_all(five_packets().raw(Bytes(zeros)).data(), 5, five_packets().size(), "record header cut short");
  }
}

TEST(PcapZeros, BehindThemselvesAlone) { expect_all(PcapFile().raw(Bytes(64)).data(), 0, PcapFile().size(), kZeros); }

TEST(PcapZeros, BeforeAnythingElseArePacketsWithoutBytes) {
  expect_all(five_packets().raw(Bytes(160)).record(kSeconds, 0, {1, 2}).data(), 16, 0, "");
}

// Seven zero headers, and one whose last byte tells that it is none of zeros.
TEST(PcapZeros, OneByteAtTheVeryEndMakesPacketsOfThem) {
  Bytes file = five_packets().raw(Bytes(128)).data();
  file.back() = 1;
  expect_all(file, 13, 0, "");
}

TEST(PcapZeros, BeforeAHeaderThatIsCutShort) {
  Bytes zeros(16 * 6 + 5);
  zeros.back() = 9;
  expect_all(five_packets().raw(zeros).data(), 11, five_packets().size() + 96, "record header cut short");
}

TEST(PcapZeros, InTheLastPacketAreItsBytes) {
  expect_all(five_packets().record(kSeconds, 0, Bytes(500)).data(), 6, 0, "");
  expect_all(five_packets().record(kSeconds, 0, Bytes(500)).raw(Bytes(48)).data(), 6, five_packets().size() + 516,
             kZeros);
}

TEST(PcapZeros, OfModifiedHeadersTake24) {
  const PcapDialect modified{.magic = kPcapModified};
  const std::uint64_t end = five_packets(modified).size();
  expect_all(five_packets(modified).raw(Bytes(23)).data(), 5, end, "record header cut short");
  expect_all(five_packets(modified).raw(Bytes(24)).data(), 5, end, kZeros);
  expect_all(five_packets(modified).raw(Bytes(72)).record(kSeconds, 0, {1}).data(), 9, 0, "");
}

TEST(PcapZeros, OfManyBlocksInAPipe) {
  expect_all(five_packets().raw(Bytes(3 << 20)).record(kSeconds, 0, {1}).data(), 5 + (3 << 16) + 1, 0, "");
}

// A preallocated file of 64 GiB: its holes are not read.
TEST(PcapZeros, HolesOfASparseFileCostNothing) {
  const ScratchFolder folder;
  const std::string path = folder.write("capture", five_packets().data());
  std::filesystem::resize_file(path, std::uint64_t{64} << 30);
  const auto before = std::chrono::steady_clock::now();
  const TraceContent content = read_in_order({path});
  EXPECT_EQ(content.packets.size(), 5u);
  EXPECT_EQ(content.damage, (std::vector<TraceContent::Place>{{path, 414, kZeros}}));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(10));
}

}  // namespace
}  // namespace warpmeter::test
