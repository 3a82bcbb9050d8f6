// The fingerprint of up to 64 bytes: all of them count, and nothing behind them is read.
#include "decode/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "support/byte_writer.h"

namespace warpmeter::test {
namespace {

using Both = std::pair<std::uint64_t, std::uint64_t>;

// From a buffer of exactly that size.
Both of(const Bytes& bytes, std::uint64_t salt = 0) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  const Fingerprint print = fingerprint(exact.get(), static_cast<std::uint32_t>(bytes.size()), salt, 1);
  return {print.a, print.b};
}

TEST(Fingerprint, EqualBytesHaveEqualOnes) {
  for (std::size_t size = 0; size <= 64; ++size) EXPECT_EQ(of(counting_bytes(size), 3), of(counting_bytes(size), 3));
}

TEST(Fingerprint, EveryBitOfEverySizeCountsInBothHalves) {
  for (std::size_t size = 1; size <= 64; ++size) {
    const Bytes bytes = counting_bytes(size);
    for (std::size_t bit = 0; bit < size * 8; ++bit) {
      Bytes other = bytes;
      other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
      ASSERT_NE(of(bytes).first, of(other).first) << size << ", bit " << bit;
      ASSERT_NE(of(bytes).second, of(other).second) << size << ", bit " << bit;
    }
  }
}

TEST(Fingerprint, ZerosOfEverySizeDiffer) {
  std::set<Both> all;
  for (std::size_t size = 0; size <= 64; ++size) all.insert(of(Bytes(size)));
  EXPECT_EQ(all.size(), 65u);
}

TEST(Fingerprint, EveryBitOfIdAndFragmentOffsetCounts) {
  std::set<Both> all = {of(counting_bytes(20), 0)};
  for (int bit = 0; bit < 32; ++bit) all.insert(of(counting_bytes(20), std::uint64_t{1} << bit));
  EXPECT_EQ(all.size(), 33u);
}

TEST(Fingerprint, PlaceOfAWordCounts) {
  Bytes first(64), second(64);
  first[0] = second[8] = 1;
  EXPECT_NE(of(first), of(second));
}

TEST(Fingerprint, RandomBytesDoNotCollide) {
  std::mt19937 random(1);
  std::set<std::uint64_t> a, b;
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes(16);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    a.insert(of(bytes).first);
    b.insert(of(bytes).second);
  }
  EXPECT_EQ(a.size(), 20'000u);
  EXPECT_EQ(b.size(), 20'000u);
}

}  // namespace
}  // namespace warpmeter::test
