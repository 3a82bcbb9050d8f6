// The window and the gap to their last packet and nanosecond, what is compared, and a plain model.
#include "flow/meter/duplicate_filter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <tuple>

#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter {
namespace {

using test::numbered_key;
using test::test_segment;

constexpr std::uint64_t kHash = 77;

DuplicateOptions options(std::uint64_t window, std::int64_t gap = 1000, std::int64_t anonymous = 10) {
  return {window, gap, anonymous};
}

bool seen(DuplicateFilter& filter, std::uint64_t number, std::int64_t time, std::uint64_t identity = 5) {
  return filter.is_duplicate(numbered_key(1), kHash, test_segment(time).identified(identity), number);
}

bool seen_anonymous(DuplicateFilter& filter, std::uint64_t number, std::int64_t time) {
  return filter.is_duplicate(numbered_key(1), kHash, test_segment(time).identified(5).anonymous(), number);
}

TEST(DuplicateFilter, WindowIncludesItsLastPacketNumber) {
  DuplicateFilter inside(options(10), 1), outside(options(10), 1);
  EXPECT_FALSE(seen(inside, 100, 0));
  EXPECT_TRUE(seen(inside, 110, 0));
  EXPECT_FALSE(seen(outside, 100, 0));
  EXPECT_FALSE(seen(outside, 111, 0));
}

// Of the latest copy, not of the first packet.
TEST(DuplicateFilter, TellsOfWhichPacketItIsACopy) {
  DuplicateFilter filter(options(10), 1);
  const auto of = [&](std::uint64_t number) {
    const Segment segment = test_segment(0).identified(5);
    return filter.duplicate_of(numbered_key(1), filter.hash_of(kHash, segment), segment, number);
  };
  EXPECT_EQ(of(100), std::nullopt);
  EXPECT_EQ(of(103), 100u);
  EXPECT_EQ(of(110), 103u);
  EXPECT_EQ(of(121), std::nullopt);
  Segment nothing = test_segment(0);
  nothing.kind &= static_cast<std::uint8_t>(~kHasIdentity);
  EXPECT_EQ(filter.duplicate_of(numbered_key(1), filter.hash_of(kHash, nothing), nothing, 122), std::nullopt);
}

TEST(DuplicateFilter, WindowOfZeroFindsNothing) {
  DuplicateFilter filter(options(0), 1);
  EXPECT_FALSE(seen(filter, 1, 0));
  EXPECT_FALSE(seen(filter, 2, 0));
}

TEST(DuplicateFilter, WindowOfOneFindsTheNextPacketOnly) {
  DuplicateFilter filter(options(1), 1);
  EXPECT_FALSE(seen(filter, 1, 0));
  EXPECT_TRUE(seen(filter, 2, 0));
  EXPECT_FALSE(seen(filter, 4, 0));
}

TEST(DuplicateFilter, GapIncludesItsLastNanosecond) {
  DuplicateFilter inside(options(10), 1), outside(options(10), 1);
  EXPECT_FALSE(seen(inside, 1, 50));
  EXPECT_TRUE(seen(inside, 2, 1050));
  EXPECT_FALSE(seen(outside, 1, 50));
  EXPECT_FALSE(seen(outside, 2, 1051));
}

TEST(DuplicateFilter, GapHoldsBackwardsToo) {
  DuplicateFilter inside(options(10), 1), outside(options(10), 1);
  EXPECT_FALSE(seen(inside, 1, 5000));
  EXPECT_TRUE(seen(inside, 2, 4000));
  EXPECT_FALSE(seen(outside, 1, 5000));
  EXPECT_FALSE(seen(outside, 2, 3999));
}

TEST(DuplicateFilter, GapSpansAllTimesThatMayCome) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  DuplicateFilter filter(options(10, INT64_MAX), 1);
  EXPECT_FALSE(seen(filter, 1, -kFar));
  EXPECT_TRUE(seen(filter, 2, kFar - 1));
  EXPECT_TRUE(seen(filter, 3, -kFar));
}

TEST(DuplicateFilter, AnonymousPacketsHaveAGapOfTheirOwn) {
  DuplicateFilter inside(options(10), 1), outside(options(10), 1);
  EXPECT_FALSE(seen_anonymous(inside, 1, 0));
  EXPECT_TRUE(seen_anonymous(inside, 2, 10));
  EXPECT_FALSE(seen_anonymous(outside, 1, 0));
  EXPECT_FALSE(seen_anonymous(outside, 2, 11));
}

TEST(DuplicateFilter, LatestCopyCountsForTheWindow) {
  DuplicateFilter filter(options(10), 1);
  EXPECT_FALSE(seen(filter, 1, 0));
  EXPECT_TRUE(seen(filter, 9, 0));
  EXPECT_TRUE(seen(filter, 19, 0));  // 18 after the first, 10 after the copy
  EXPECT_FALSE(seen(filter, 30, 0));
}

TEST(DuplicateFilter, LatestCopyCountsForTheGap) {
  DuplicateFilter filter(options(100, 100), 1);
  EXPECT_FALSE(seen(filter, 1, 0));
  EXPECT_TRUE(seen(filter, 2, 90));
  EXPECT_FALSE(seen(filter, 3, -20));  // near the first, but 110 from the latest
  EXPECT_FALSE(seen(filter, 4, 500));  // no duplicate, and yet the latest from here on
  EXPECT_TRUE(seen(filter, 5, 600));
}

TEST(DuplicateFilter, WithoutIdentityNothingIsADuplicate) {
  DuplicateFilter filter(options(10), 1);
  EXPECT_FALSE(filter.is_duplicate(numbered_key(1), kHash, test_segment(0), 1));
  EXPECT_FALSE(filter.is_duplicate(numbered_key(1), kHash, test_segment(0), 2));
}

TEST(DuplicateFilter, EveryFieldOfTheIdentityCounts) {
  const auto base = test_segment(0).identified(1, 2).tcp(3, kSyn, 4);
  const auto is_copy = [&](const FlowKey& key, const Segment& other) {
    DuplicateFilter filter(options(10), 1);
    EXPECT_FALSE(filter.is_duplicate(numbered_key(1), kHash, base, 1));
    return filter.is_duplicate(key, kHash, other, 2);
  };
  const auto changed = [&](auto change) {
    Segment other = base;
    change(other);
    return is_copy(numbered_key(1), other);
  };
  EXPECT_TRUE(is_copy(numbered_key(1), base));
  EXPECT_FALSE(is_copy(numbered_key(2), base));
  EXPECT_FALSE(changed([](Segment& s) { s.identity_a ^= 1; }));
  EXPECT_FALSE(changed([](Segment& s) { s.identity_b ^= 1; }));
  EXPECT_FALSE(changed([](Segment& s) { s.length ^= 1; }));
  EXPECT_FALSE(changed([](Segment& s) { s.sequence ^= 1; }));
  EXPECT_FALSE(changed([](Segment& s) { s.window ^= 1; }));
  EXPECT_FALSE(changed([](Segment& s) { s.flags ^= 1; }));
  EXPECT_TRUE(changed([](Segment& s) { s.kind ^= kTcpSegment; }));
  EXPECT_TRUE(changed([](Segment& s) { s.frame ^= 1; }));
}

TEST(DuplicateFilter, ForgetsNothingWhileTheRingGrows) {
  constexpr std::uint64_t kMany = 20'000;
  DuplicateFilter filter(options(kMany), 1);
  for (std::uint64_t i = 1; i <= kMany; ++i) ASSERT_FALSE(seen(filter, i, 0, i)) << i;
  for (std::uint64_t i = 1; i <= kMany; ++i) ASSERT_TRUE(seen(filter, kMany + i, 0, i)) << i;
  EXPECT_FALSE(seen(filter, 3 * kMany, 0, 1));
}

// Every identity with its latest packet, for ever.
class Model {
 public:
  explicit Model(const DuplicateOptions& o) : options_(o) {}
  bool is_duplicate(std::uint32_t key, std::uint64_t identity, bool anonymous, std::int64_t time,
                    std::uint64_t number) {
    const auto [place, first] = latest_.try_emplace({key, identity});
    const auto [earlier_number, earlier_time] = place->second;
    place->second = {number, time};
    if (first || number - earlier_number > options_.window) return false;
    return std::abs(time - earlier_time) <= (anonymous ? options_.gap_anonymous_ns : options_.gap_ns);
  }

 private:
  const DuplicateOptions options_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::pair<std::uint64_t, std::int64_t>> latest_;
};

// Window, how many identities there are, the first place.
class DuplicateFilterModel : public testing::TestWithParam<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>> {};

TEST_P(DuplicateFilterModel, AgreesWithThePlainModel) {
  const auto [window, identities, first_place] = GetParam();
  std::mt19937_64 random(window * 1000 + identities);
  DuplicateFilter filter(options(window, 2000, 300), 1, first_place);
  Model model(options(window, 2000, 300));
  std::uint64_t number = 0, found = 0;
  std::int64_t time = 0;
  constexpr int kPackets = 30'000;
  for (int i = 0; i < kPackets; ++i) {
    number += 1 + random() % 3;
    time += static_cast<std::int64_t>(random() % 400) - 100;
    const auto key = static_cast<std::uint32_t>(random() % 3);
    const std::uint64_t identity = random() % identities;
    auto segment = test_segment(time).identified(identity);
    if (identity % 2) segment.anonymous();
    const bool got = filter.is_duplicate(numbered_key(key), key % 2, segment, number);
    ASSERT_EQ(got, model.is_duplicate(key, identity, identity % 2, time, number)) << "packet " << i;
    found += got;
  }
  EXPECT_GT(found, 0u);
  EXPECT_LT(found, std::uint64_t{kPackets});
}

INSTANTIATE_TEST_SUITE_P(Windows, DuplicateFilterModel,
                         testing::Combine(testing::Values(1, 7, 64, 1024, 5000), testing::Values(3, 40),
                                          testing::Values(1u, 0u, UINT32_MAX - 10'000)));

}  // namespace
}  // namespace warpmeter
