// Files as sources: windows that move and grow, where reading begins, buffers that frames still point into.
#include "packet/file/file_source.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/packed.h"

namespace warpmeter::test {
namespace {

FileSource source_of(const Bytes& content, std::uint64_t begin = 0) {
  return {"a file", std::make_shared<RegularFile>(content.data(), content.size()), begin};
}

TEST(FileSource, BeginsWhereTheFileWasReadTo) {
  const Bytes content = counting_bytes(100);
  FileSource source = source_of(content, 30);
  EXPECT_EQ(source.offset(), 30u);
  ASSERT_TRUE(source.need(70));
  EXPECT_EQ(source.left(), 70u);
  EXPECT_EQ(source.at()[0], 30);
  EXPECT_FALSE(source.need(71));
}

TEST(FileSource, WindowsFollowEachOther) {
  const Bytes content = plain_bytes(3'000'000);
  for (const std::size_t step : {1000, 4096, 70'001, 600'000}) {
    FileSource source = source_of(content);
    for (std::uint64_t at = 0; at < content.size(); at += step) {
      const std::size_t bytes = std::min<std::size_t>(step, content.size() - at);
      ASSERT_TRUE(source.need(bytes));
      ASSERT_TRUE(std::equal(source.at(), source.at() + bytes, content.data() + at)) << at;
      source.advance(bytes);
      ASSERT_EQ(source.offset(), at + bytes);
    }
    EXPECT_FALSE(source.need(1));
    EXPECT_EQ(source.left(), 0u);
  }
}

TEST(FileSource, WindowGrowsByLittleAndLittle) {
  const Bytes content = plain_bytes(2'000'000);
  FileSource source = source_of(content);
  for (std::size_t bytes = 1; bytes <= content.size(); bytes += 777) ASSERT_TRUE(source.need(bytes));
  ASSERT_TRUE(source.need(content.size()));
  EXPECT_TRUE(std::equal(content.begin(), content.end(), source.at()));
}

TEST(FileSource, EndBeforeWhatIsNeededLeavesTheRest) {
  const Bytes content = counting_bytes(50'000);
  FileSource source = source_of(content);
  EXPECT_FALSE(source.need(50'001));
  EXPECT_EQ(source.left(), 50'000u);
  source.advance(49'990);
  EXPECT_FALSE(source.need(11));
  EXPECT_EQ(source.left(), 10u);
  EXPECT_EQ(source.at()[9], content.back());
}

TEST(FileSource, LentBytesStayAsTheyAre) {
  const Bytes content = plain_bytes(3'000'000);
  ByteSource::Leases leases;
  std::vector<const std::uint8_t*> places;
  {
    FileSource source = source_of(content);
    source.lend_to(&leases);
    for (std::size_t at = 0; at < content.size(); at += 1000) {
      ASSERT_TRUE(source.need(1000));
      places.push_back(source.at());
      source.advance(1000);
    }
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_TRUE(std::equal(places[i], places[i] + 1000, content.data() + 1000 * i)) << i;
  }
  EXPECT_GE(leases.size(), 10u);
}

}  // namespace
}  // namespace warpmeter::test
