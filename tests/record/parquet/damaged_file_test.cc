// Files that are cut short or have wrong bytes: an Error or damage, and what was good counts.
#include <gtest/gtest.h>

#include "base/files/named_pipe.h"
#include "support/parquet_bytes.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::parquet_of;
using test::shown;

std::vector<Biflow> many_flows(std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<Biflow> flows(count);
  for (Biflow& flow : flows) flow.forward = test::random_record(random, false);
  return flows;
}

class DamagedFile : public testing::Test {
 protected:
  std::string open_complaint(const std::string& bytes) {
    test::write_file(path_, bytes);
    return test::thrown_text([&] { RecordFileReader reader(path_, open_to_read(path_)); });
  }
  const test::ScratchFolder folder_;
  const std::string path_ = folder_.file("flows.parquet");
};

TEST_F(DamagedFile, WithoutItsEndIsRefused) {
  const std::string whole = parquet_of(many_flows(100), {});
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, whole.size() / 2, whole.size() - 1}) {
    EXPECT_TRUE(open_complaint(whole.substr(0, size)).starts_with(path_ + ": no Parquet file, or not all of it: "))
        << size;
  }
  EXPECT_TRUE(open_complaint("src_addr,dst_addr\n1.2.3.4,5.6.7.8\n").starts_with(path_ + ": no Parquet file"));
  EXPECT_EQ(test::thrown_text([&] { RecordFileReader reader(folder_.path(), open_to_read(folder_.path())); }),
            folder_.path() + ": is no file; Parquet is read from its end");
  EXPECT_EQ(
      test::thrown_text([&] { RecordFileReader reader(folder_.file("none"), open_to_read(folder_.file("none"))); }),
      folder_.file("none") + ": cannot be read: No such file or directory");
}

// Of a file of two row groups, the second begins where one of only the first would have had its footer: its columns
// are the same bytes.
TEST_F(DamagedFile, GivesTheRowsBeforeTheDamage) {
  const std::vector<Biflow> some = many_flows(999);
  std::vector<Biflow> flows;
  for (std::size_t i = 0; i < kRowsInGroup; ++i) flows.push_back(some[i % some.size()]);
  const std::string first_alone = parquet_of(flows, {});
  flows.push_back(some[0]);
  std::string bytes = parquet_of(flows, {});
  std::size_t second = 0;
  while (bytes[second] == first_alone[second]) ++second;
  for (std::size_t i = 0; i < 40; ++i) bytes[second + i] ^= 0x55;
  test::write_file(path_, bytes);
  const test::ReadBack back = test::read_back(path_);
  ASSERT_TRUE(back.damage);
  EXPECT_TRUE(back.damage->reason.starts_with("row group 2: ")) << back.damage->reason;
  EXPECT_LE(back.damage->offset, second);
  EXPECT_GT(back.damage->offset + 40, second);
  ASSERT_EQ(back.flows.size(), static_cast<std::size_t>(kRowsInGroup));
  EXPECT_EQ(shown(back.flows.back().forward, back.layout), shown(flows[kRowsInGroup - 1].forward, {}));
}

TEST_F(DamagedFile, GivesTheRowsOfThePagesBeforeIt) {
  const std::vector<Biflow> flows = many_flows(100'000);
  std::string bytes = parquet_of(flows, {});
  bytes[bytes.size() / 2] ^= 1;  // some page in the middle of some column
  test::write_file(path_, bytes);
  const test::ReadBack back = test::read_back(path_);
  ASSERT_TRUE(back.damage);
  EXPECT_EQ(back.damage->offset, 4u);
  ASSERT_LT(back.flows.size(), flows.size());
  for (std::size_t i = 0; i < back.flows.size(); ++i) {
    ASSERT_EQ(shown(back.flows[i].forward, back.layout), shown(flows[i].forward, {})) << i;
  }
}

// Where two bytes are missing, what is read as the header of a page may say that it has gigabytes.
TEST_F(DamagedFile, TakesNoMoreMemoryThanItsFooterTells) {
  const std::string whole = parquet_of(many_flows(10), {.biflow = true, .times = TimeForm::us});
  for (std::size_t at = 4; at < whole.size() / 8; ++at) {
    test::write_file(path_, std::string(whole).erase(at, 2));
    try {
      test::read_back(path_);
    } catch (const Error&) {
    }
    ASSERT_LT(arrow::default_memory_pool()->max_memory(), 256 << 20) << at;
  }
}

// Whatever byte is wrong, nothing worse happens than that; checksums tell of every one in the pages.
TEST_F(DamagedFile, SurvivesAnyWrongByte) {
  const std::vector<Biflow> flows = many_flows(300);
  const std::string whole = parquet_of(flows, {});
  std::mt19937_64 random(5);
  int refused = 0, damaged = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bad = whole;
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    test::write_file(path_, bad);
    try {
      const test::ReadBack back = test::read_back(path_);
      damaged += back.damage.has_value();
      ASSERT_LE(back.flows.size(), flows.size() + (back.damage ? 1 : 0) * flows.size());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(damaged, 0);
}

}  // namespace
}  // namespace warpmeter
