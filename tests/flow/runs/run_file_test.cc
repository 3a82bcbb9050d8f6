// Run files: what is written comes back, and what was damaged is refused.
#include "flow/runs/run_file.h"

#include <gtest/gtest.h>

#include <tuple>

#include "core/byte_order.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;
using test::thrown_text;

std::unique_ptr<TempFile> written(const ScratchFolder& folder, const std::vector<Partial>& records) {
  RunWriter writer(folder.path(), output_order);
  for (const Partial& record : records) writer.write(record);
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

std::vector<Partial> part_of(const std::shared_ptr<const RunFile>& file, std::uint64_t begin, std::uint64_t end) {
  RunReader reader(file, begin, end);
  return test::all_of(reader);
}

std::string refused(std::unique_ptr<TempFile> file) {
  return thrown_text([&] {
    const auto run = std::make_shared<const RunFile>(std::move(file));
    part_of(run, 0, run->size());
  });
}

template <class T>
std::string refused_with(T value, std::uint64_t offset) {
  const ScratchFolder folder;
  auto file = written(folder, test::sorted(test::random_records(10, 1)));
  file->write(&value, sizeof value, offset);
  return refused(std::move(file));
}

class RoundTrip : public testing::TestWithParam<std::size_t> {};

TEST_P(RoundTrip, GivesBackEveryByte) {
  const ScratchFolder folder;
  const auto records = test::sorted(test::random_records(GetParam(), GetParam()));
  const auto file = std::make_shared<const RunFile>(written(folder, records));
  ASSERT_EQ(file->size(), records.size());
  EXPECT_TRUE(test::same_records(records, part_of(file, 0, file->size())));
}

// Every beginning and end around those of blocks.
TEST_P(RoundTrip, GivesBackAnyPart) {
  const ScratchFolder folder;
  const auto records = test::sorted(test::random_records(GetParam(), GetParam()));
  const auto file = std::make_shared<const RunFile>(written(folder, records));
  for (const std::size_t begin : {0, 1, 127, 128, 129, 255, 256, 900}) {
    for (const std::size_t end : {0, 1, 127, 128, 129, 256, 257, 1000}) {
      if (begin > end || end > records.size()) continue;
      const std::vector<Partial> part(records.begin() + static_cast<std::ptrdiff_t>(begin),
                                      records.begin() + static_cast<std::ptrdiff_t>(end));
      ASSERT_TRUE(test::same_records(part, part_of(file, begin, end))) << begin << " to " << end;
      if (begin < end) {
        ASSERT_EQ(file->at(begin).arrival, records[begin].arrival);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RunFile, RoundTrip, testing::Values(0, 1, 127, 128, 129, 256, 257, 1000));

TEST(RunFile, HeaderIsAsDocumented) {
  const ScratchFolder folder;
  const auto file = written(folder, {test::test_record(1, 2, 3, 4)});
  std::uint8_t bytes[281];
  ASSERT_EQ(file->read(bytes, sizeof bytes, 0), 280u);
  EXPECT_EQ(std::string(bytes, bytes + 8), "WMRUN\r\n\x1a");
  EXPECT_EQ(bytes[8], 6);
  EXPECT_EQ(bytes[10], 1);  // in output order
  EXPECT_EQ(bytes[12], 240);
  EXPECT_EQ(bytes[16], 1);
  EXPECT_EQ(bytes[32], 4);       // IP version
  EXPECT_EQ(bytes[32 + 40], 2);  // start
  EXPECT_EQ(bytes[32 + 48], 3);  // end
  EXPECT_EQ(bytes[32 + 56], 4);  // arrival
  EXPECT_EQ(bytes[32 + 64], 1);  // packets
  EXPECT_EQ(bytes[32 + 72], 100);
  EXPECT_EQ(bytes[32 + 221], 4);  // end reason
  EXPECT_EQ(load<std::uint64_t>(bytes + 272), checksum_of(bytes + 32, 240));
  EXPECT_EQ(load<std::uint64_t>(bytes + 24), checksum_of(bytes + 272, 8));
}

// XXH3 of nothing, as the library's own documents give it.
TEST(RunFile, ChecksumIsXxh3) { EXPECT_EQ(checksum_of(nullptr, 0), 0x2d06800538d394c2u); }

TEST(RunFile, RefusesAnEmptyFile) {
  const ScratchFolder folder;
  EXPECT_NE(refused(std::make_unique<TempFile>(folder.path())).find("no magic"), std::string::npos);
}

TEST(RunFile, RefusesWhatWasNotFinished) {
  EXPECT_NE(refused_with(std::array<char, 32>{}, 0).find("no magic"), std::string::npos);
}

TEST(RunFile, RefusesAnotherMagic) { EXPECT_NE(refused_with('w', 0).find("no magic"), std::string::npos); }

TEST(RunFile, RefusesAnotherVersion) {
  EXPECT_NE(refused_with(std::uint16_t{1}, 8).find("version 1"), std::string::npos);
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
  EXPECT_NE(refused_with('\x7f', 32 + 10 * 240 - 1).find("checksum"), std::string::npos);
  EXPECT_NE(refused_with('\x7f', 32 + 3 * 240 + 100).find("checksum"), std::string::npos);
}

TEST(RunFile, RefusesAFileCutAnywhere) {
  const ScratchFolder folder;
  const auto file = written(folder, test::sorted(test::random_records(3, 1)));
  for (std::size_t bytes = 0; bytes < 32; ++bytes) {
    ASSERT_NE(refused(cut(folder, *file, bytes)).find("no magic"), std::string::npos) << bytes;
  }
  for (std::size_t bytes = 32; bytes < 32 + 3 * 240 + 8; ++bytes) {
    ASSERT_NE(refused(cut(folder, *file, bytes)).find("cut short"), std::string::npos) << bytes;
  }
  EXPECT_EQ(refused(cut(folder, *file, 32 + 3 * 240 + 8)), "");
}

TEST(RunFile, RefusesPartialsOutOfOrder) {
  const ScratchFolder folder;
  const std::vector<Partial> records = {test::test_record(1, 0, 0, 1), test::test_record(1, 0, 0, 3),
                                        test::test_record(1, 0, 0, 2)};
  EXPECT_NE(refused(written(folder, records)).find("out of order"), std::string::npos);
  std::vector<Partial> many;  // in order within their blocks
  for (std::uint64_t i = 0; i < 130; ++i) many.push_back(test::test_record(1, 0, 0, i < 128 ? 1000 + i : i));
  EXPECT_NE(refused(written(folder, many)).find("out of order"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter
