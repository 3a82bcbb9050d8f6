// Run files: what is written comes back, and what was damaged is refused.
#include "run/run_file.h"

#include <gtest/gtest.h>

#include <tuple>

#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;
using test::thrown_text;

constexpr std::size_t kBuffered = 4;

std::unique_ptr<TempFile> written(const ScratchFolder& folder, const std::vector<FlowRecord>& records,
                                  std::size_t buffered = kBuffered) {
  RunWriter writer(folder.path(), buffered, output_order);
  for (const FlowRecord& record : records) writer.write(record);
  return writer.finish();
}

// A copy of which `bytes` are left.
std::unique_ptr<TempFile> cut(const ScratchFolder& folder, const TempFile& file, std::size_t bytes) {
  std::vector<char> content(bytes);
  EXPECT_EQ(file.read(content.data(), bytes, 0), bytes);
  auto copy = std::make_unique<TempFile>(folder.path());
  copy->write(content.data(), bytes, 0);
  return copy;
}

std::string refused(std::unique_ptr<TempFile> file, std::size_t buffered = kBuffered) {
  return thrown_text([&] {
    RunReader reader(std::move(file), buffered);
    test::all_of(reader);
  });
}

template <class T>
std::string refused_with(T value, std::uint64_t offset) {
  const ScratchFolder folder;
  auto file = written(folder, test::sorted(test::random_records(10, 1)));
  file->write(&value, sizeof value, offset);
  return refused(std::move(file));
}

class RoundTrip : public testing::TestWithParam<std::tuple<std::size_t, std::size_t, std::size_t>> {};

TEST_P(RoundTrip, GivesBackEveryByte) {
  const auto [count, write_buffer, read_buffer] = GetParam();
  const ScratchFolder folder;
  const auto records = test::sorted(test::random_records(count, count));
  RunReader reader(written(folder, records, write_buffer), read_buffer);
  EXPECT_TRUE(test::same_records(records, test::all_of(reader)));
}

INSTANTIATE_TEST_SUITE_P(RunFile, RoundTrip,
                         testing::Combine(testing::Values(0, 1, 7, 8, 9, 1000), testing::Values(0, 1, 8, 2000),
                                          testing::Values(0, 1, 3, 2000)));

TEST(RunFile, HeaderIsAsDocumented) {
  const ScratchFolder folder;
  const auto file = written(folder, {test::test_record(1, 2, 3, 4)});
  std::uint8_t bytes[257];
  ASSERT_EQ(file->read(bytes, sizeof bytes, 0), 256u);
  EXPECT_EQ(std::string(bytes, bytes + 8), "WMRUN\r\n\x1a");
  EXPECT_EQ(bytes[8], 1);
  EXPECT_EQ(bytes[10], 1);  // in output order
  EXPECT_EQ(bytes[12], 224);
  EXPECT_EQ(bytes[16], 1);
  EXPECT_EQ(bytes[32], 4);       // IP version
  EXPECT_EQ(bytes[32 + 40], 2);  // start
  EXPECT_EQ(bytes[32 + 48], 3);  // end
  EXPECT_EQ(bytes[32 + 56], 4);  // arrival
  EXPECT_EQ(bytes[32 + 64], 1);  // packets
  EXPECT_EQ(bytes[32 + 72], 100);
  EXPECT_EQ(bytes[32 + 221], 4);  // end reason
}

// XXH3 of nothing, as the library's own documents give it.
TEST(RunFile, ChecksumIsXxh3) { EXPECT_EQ(Checksum().value(), 0x2d06800538d394c2u); }

TEST(RunFile, ChecksumDoesNotDependOnTheCuts) {
  const std::string text(1000, 'x');
  Checksum whole, parts;
  whole.add(text.data(), 1000);
  parts.add(text.data(), 1);
  parts.add(text.data() + 1, 999);
  EXPECT_EQ(whole.value(), parts.value());
}

TEST(RunFile, RefusesAnEmptyFile) {
  const ScratchFolder folder;
  EXPECT_NE(refused(std::make_unique<TempFile>(folder.path())).find("no magic"), std::string::npos);
}

TEST(RunFile, RefusesWhatWasNotFinished) {
  EXPECT_NE(refused_with(std::array<char, 32>{}, 0).find("no magic"), std::string::npos);
}

TEST(RunFile, RefusesAnotherMagic) { EXPECT_NE(refused_with('w', 0).find("no magic"), std::string::npos); }

TEST(RunFile, RefusesAnotherVersion) {
  EXPECT_NE(refused_with(std::uint32_t{2}, 8).find("version 2"), std::string::npos);
}

TEST(RunFile, RefusesPartialsOfAnotherSize) {
  EXPECT_NE(refused_with(std::uint32_t{208}, 12).find("another size"), std::string::npos);
}

TEST(RunFile, RefusesMorePartialsThanThereAre) {
  EXPECT_NE(refused_with(std::uint64_t{11}, 16).find("cut short"), std::string::npos);
  EXPECT_NE(refused_with(UINT64_MAX, 16).find("cut short"), std::string::npos);
}

TEST(RunFile, RefusesFewerPartialsThanThereAre) { EXPECT_NE(refused_with(std::uint64_t{9}, 16), ""); }

TEST(RunFile, RefusesAnotherChecksum) {
  EXPECT_NE(refused_with(std::uint64_t{0}, 24).find("checksum"), std::string::npos);
}

// The last byte of the last partial and one that no order depends on.
TEST(RunFile, RefusesPartialsThatWereChanged) {
  EXPECT_NE(refused_with('\x7f', 32 + 10 * 224 - 1).find("checksum"), std::string::npos);
  EXPECT_NE(refused_with('\x7f', 32 + 3 * 224 + 100).find("checksum"), std::string::npos);
}

TEST(RunFile, RefusesAFileCutAnywhere) {
  const ScratchFolder folder;
  const auto file = written(folder, test::sorted(test::random_records(3, 1)));
  for (std::size_t bytes = 0; bytes < 32; ++bytes) {
    ASSERT_NE(refused(cut(folder, *file, bytes)).find("no magic"), std::string::npos) << bytes;
  }
  for (std::size_t bytes = 32; bytes < 32 + 3 * 224; bytes += 9) {
    ASSERT_NE(refused(cut(folder, *file, bytes)).find("cut short"), std::string::npos) << bytes;
  }
  EXPECT_EQ(refused(cut(folder, *file, 32 + 3 * 224)), "");
}

TEST(RunFile, RefusesPartialsOutOfOrder) {
  const ScratchFolder folder;
  const std::vector<FlowRecord> records = {test::test_record(1, 0, 0, 1), test::test_record(1, 0, 0, 3),
                                           test::test_record(1, 0, 0, 2)};
  EXPECT_NE(refused(written(folder, records), 1).find("out of order"), std::string::npos);
  EXPECT_NE(refused(written(folder, records), 10).find("out of order"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
