// Fingerprints of up to 128 bytes, and of TCP options: all of them count, and nothing behind them is read.
#include "packet/decode/transport.h"

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
  for (std::size_t size = 0; size <= kMostFingerprinted; ++size)
    EXPECT_EQ(of(counting_bytes(size), 3), of(counting_bytes(size), 3));
}

TEST(Fingerprint, EveryBitOfEverySizeCountsInBothHalves) {
  for (std::size_t size = 1; size <= kMostFingerprinted; ++size) {
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
  for (std::size_t size = 0; size <= kMostFingerprinted; ++size) all.insert(of(Bytes(size)));
  EXPECT_EQ(all.size(), kMostFingerprinted + 1);
}

TEST(Fingerprint, EveryBitOfIdAndFragmentOffsetCounts) {
  std::set<Both> all = {of(counting_bytes(20), 0)};
  for (int bit = 0; bit < 32; ++bit) all.insert(of(counting_bytes(20), std::uint64_t{1} << bit));
  EXPECT_EQ(all.size(), 33u);
}

TEST(Fingerprint, PlaceOfAWordCounts) {
  std::set<Both> all;
  for (std::size_t at = 0; at < kMostFingerprinted; at += 8) {
    Bytes bytes(kMostFingerprinted);
    bytes[at] = 1;
    all.insert(of(bytes));
  }
  EXPECT_EQ(all.size(), kMostFingerprinted / 8);
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

// From a buffer of exactly the size that was captured.
std::uint64_t of_options(const Bytes& options, std::uint32_t whole, const HashSeed& seed = 1) {
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[options.size()]);
  std::copy(options.begin(), options.end(), exact.get());
  return fingerprint_options(exact.get(), static_cast<std::uint32_t>(options.size()), whole, seed);
}

TEST(OptionsFingerprint, EveryBitOfEverySizeCounts) {
  for (std::uint32_t whole = 4; whole <= 40; whole += 4) {
    for (std::size_t size = 1; size <= whole; ++size) {
      const Bytes bytes = counting_bytes(size);
      for (std::size_t bit = 0; bit < size * 8; ++bit) {
        Bytes other = bytes;
        other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
        ASSERT_NE(of_options(bytes, whole), of_options(other, whole)) << size << " of " << whole << ", bit " << bit;
      }
    }
  }
}

TEST(OptionsFingerprint, HowManyWereCapturedCounts) {
  for (std::uint32_t whole = 4; whole <= 40; whole += 4) {
    std::set<std::uint64_t> all;
    for (std::size_t size = 0; size <= whole; ++size) {
      all.insert(size == kTimeStampOptions && size == whole ? fingerprint_time_stamps(Bytes(size).data(), 1)
                                                            : of_options(Bytes(size), whole));
    }
    EXPECT_EQ(all.size(), whole + 1);
  }
}

// Differences that a sender would try, since they change few bits of a product: both halves of the fingerprint differ,
// whatever the seed. By chance 24 bits of it are alike in one of 2^24 cases.
TEST(OptionsFingerprint, OfTimeStampsNoDifferenceIsLostUnderManySeeds) {
  std::mt19937_64 random(3);
  int alike = 0;
  for (int i = 0; i < 20'000; ++i) {
    const HashSeed seed(random());
    Bytes first(kTimeStampOptions);
    for (std::uint8_t& byte : first) byte = static_cast<std::uint8_t>(random());
    const std::uint64_t print = fingerprint_time_stamps(first.data(), seed);
    for (const std::size_t bit : {0, 1, 31, 32, 62, 63, 64, 65, 94, 95}) {
      Bytes second = first, third = first;
      second[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
      third[bit / 8] ^= static_cast<std::uint8_t>(0xffu << bit % 8);
      third[11] ^= 0x40;
      for (const Bytes& other : {second, third}) {
        const std::uint64_t apart = print ^ fingerprint_time_stamps(other.data(), seed);
        alike += apart >> 40 == 0;
        alike += (apart >> 8 & 0xffffff) == 0;
      }
    }
  }
  EXPECT_LE(alike, 3);
}

}  // namespace
}  // namespace warpmeter::test
