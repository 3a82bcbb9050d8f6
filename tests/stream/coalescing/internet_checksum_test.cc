#include "stream/coalescing/internet_checksum.h"

#include <gtest/gtest.h>

#include "support/random_bytes.h"

namespace warpmeter {
namespace {

using test::Bytes;

std::uint16_t slow_sum(const Bytes& bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) sum += i % 2 ? bytes[i] : bytes[i] * 256u;
  while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>(sum);
}

TEST(InternetChecksum, SumsWordsWithEndAroundCarry) {
  EXPECT_EQ(internet_sum(nullptr, 0), 0);
  // RFC 1071, section 3.
  const Bytes example = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(internet_sum(example.data(), example.size()), 0xddf2);
}

TEST(InternetChecksum, IsTheSlowSumOfAnyLengthAndPlace) {
  const Bytes bytes = test::random_bytes(400, 1);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; size + begin <= bytes.size(); ++size) {
      const Bytes part(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                       bytes.begin() + static_cast<std::ptrdiff_t>(begin + size));
      ASSERT_EQ(internet_sum(bytes.data() + begin, size), slow_sum(part)) << begin << ", " << size;
    }
  }
}

// Where words overflow again and again; and zero is of zeros alone.
TEST(InternetChecksum, OnesAreNotZero) {
  for (std::size_t size = 1; size < 300; ++size) {
    const Bytes ones(size, 0xff), zeros(size, 0);
    EXPECT_EQ(internet_sum(ones.data(), size), slow_sum(ones));
    EXPECT_EQ(internet_sum(zeros.data(), size), 0);
  }
}

// By vectors, as long as these cannot overflow.
TEST(InternetChecksum, IsTheSlowSumOfLongOnes) {
  for (const Bytes& bytes : {test::random_bytes(70'000, 3), Bytes(70'000, 0xff), Bytes(70'000, 0x80), Bytes(70'000)}) {
    for (const std::size_t size : {1'460u, 9'001u, 65'535u, 65'536u, 65'599u, 65'600u, 70'000u}) {
      const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(internet_sum(part.data(), size), slow_sum(part)) << size;
    }
  }
}

TEST(InternetChecksum, SumsAreRightThatFoldToOnes) {
  EXPECT_FALSE(is_right_sum(0));
  for (const std::uint64_t far : {std::uint64_t{0}, std::uint64_t{0xffff} << 16, std::uint64_t{0xffff} << 40}) {
    for (std::uint64_t near = 0; near < 0x30000; ++near) {
      ASSERT_EQ(is_right_sum(far + near), fold_sum(far + near) == 0xffff) << far << ", " << near;
    }
  }
}

TEST(InternetChecksum, PartsMakeTheWhole) {
  const Bytes bytes = test::random_bytes(301, 2);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const std::uint16_t behind = internet_sum(bytes.data() + cut, bytes.size() - cut);
    EXPECT_EQ(fold_sum(std::uint64_t{internet_sum(bytes.data(), cut)} + sum_behind(cut, behind)), slow_sum(bytes));
  }
}

}  // namespace
}  // namespace warpmeter
