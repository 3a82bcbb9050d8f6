// Columns as byte planes: what is written comes back, in every form, and nothing is read beyond the end.
#include "packet/segments/byte_planes.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/guarded_bytes.h"
#include "support/random_bytes.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::thrown_text;
using test::operator+;

constexpr std::size_t kMuch = 1 << 20;

template <class T>
Bytes planes_of(const std::vector<T>& values, Planes how = Planes::apart) {
  PlaneWriter writer;
  writer.clear();
  writer.write(std::span<const T>(values), how);
  const auto bytes = writer.finish();
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> column_of(std::span<const std::uint8_t> bytes, std::size_t count) {
  PlaneReader reader;
  reader.begin(bytes, kMuch);
  UnwrittenVector<T> values;
  reader.read(count, values);
  if (!reader.at_end()) throw Error("something is left");
  return {values.begin(), values.end()};
}

template <class T>
void expect_back(const std::vector<T>& values) {
  for (const Planes how : {Planes::apart, Planes::joined}) {
    EXPECT_EQ(column_of<T>(planes_of(values, how), values.size()), values);
  }
}

// Behind the joined planes, that have no bytes here.
PlaneForm first_form(const Bytes& planes) { return static_cast<PlaneForm>(planes.at(8)); }

// Values with few different bytes, such as can be compressed, in an order that has no rule.
template <class T>
std::vector<T> few_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>((random() & 0x0303030303030303) + 1);
  return values;
}

template <class T>
class BytePlanes : public testing::Test {};
using Widths = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(BytePlanes, Widths);

TYPED_TEST(BytePlanes, ComeBack) {
  using T = TypeParam;
  constexpr T kLargest = std::numeric_limits<T>::max();
  expect_back<T>({});
  expect_back<T>({0});
  expect_back<T>({kLargest});
  expect_back<T>({0, kLargest});
  expect_back<T>(std::vector<T>(1000, T{77}));
  std::mt19937_64 random(1);
  for (const std::size_t count : {2, 3, 7, 8, 9, 255, 256, 257, 5000}) {
    expect_back(few_values<T>(count, count));
    std::vector<T> any(count), small(count), sparse(count);
    for (T& value : any) value = static_cast<T>(random());
    for (T& value : small) value = static_cast<T>(random() % 256);
    for (T& value : sparse) value = static_cast<T>(random() % 9 ? 0 : random());
    expect_back(any);
    expect_back(small);
    expect_back(sparse);
  }
}

TEST(BytePlanesForms, AlikeIsOneByte) {
  const Bytes planes = planes_of(std::vector<std::uint16_t>(100'000, 0x1234));
  EXPECT_EQ(planes, (Bytes{0, 0, 0, 0, 0, 0, 0, 0, 0, 0x34, 0, 0x12}));
}

TEST(BytePlanesForms, OnlyBytesThatDifferTakeRoom) {
  std::vector<std::uint64_t> values(100, 0x1122334455667788);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i;
  EXPECT_LT(planes_of(values).size(), 8 + 7 * 2 + 1 + 4 + 100);
}

TEST(BytePlanesForms, RandomBytesAreNotPacked) {
  const Bytes random = test::random_bytes(10'000, 1);
  const Bytes planes = planes_of(random);
  EXPECT_EQ(first_form(planes), PlaneForm::bytes);
  EXPECT_EQ(planes.size(), 8 + 1 + random.size());
}

TEST(BytePlanesForms, FewValuesArePacked) {
  const auto values = few_values<std::uint8_t>(10'000, 1);
  const Bytes planes = planes_of(values);
  EXPECT_EQ(first_form(planes), planes_are_packed() ? PlaneForm::packed : PlaneForm::bytes);
  if (planes_are_packed()) {
    EXPECT_LT(planes.size(), values.size() / 3);
    EXPECT_LT(planes_of(values, Planes::joined).size(), values.size() / 3);
  }
}

TEST(BytePlanesForms, JoinedPlanesLieInFront) {
  const Bytes planes = planes_of(Bytes{1, 2, 3}, Planes::joined);
  EXPECT_EQ(planes, (Bytes{3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3}));
}

TEST(BytePlanesForms, SparseTellsWhereTheOthersAre) {
  Bytes values(16);
  values[3] = 7;
  values[4] = 9;
  EXPECT_EQ(planes_of(values), (Bytes{4, 0, 0, 0, 0, 0, 0, 0, 3, 7, 0, 9, 4, 4, 0, 0, 0}));
}

// 255 zeros and more before a byte.
TEST(BytePlanesForms, SparseReachesAsFarAsItMust) {
  for (const std::size_t zeros : {253, 254, 255, 256, 257, 509, 510, 511, 512, 2000}) {
    Bytes values(zeros + 1);
    values.back() = 1;
    expect_back(values);
    values.resize(3 * zeros + 3);
    values[2 * zeros + 1] = 2;
    values[2 * zeros + 2] = 3;
    expect_back(values);
    Bytes two(2 * zeros + 2);
    two[zeros] = 1;
    two.back() = 255;
    expect_back(two);
  }
}

TEST(BytePlanesForms, SeveralColumnsFollowEachOther) {
  const auto a = few_values<std::uint32_t>(3000, 1);
  const auto b = few_values<std::uint16_t>(50, 2);
  const std::vector<std::uint8_t> none;
  const auto d = few_values<std::uint64_t>(500, 3);
  PlaneWriter writer;
  for (int again = 0; again < 2; ++again) {
    writer.clear();
    writer.write(std::span<const std::uint32_t>(a), Planes::apart);
    writer.write(std::span<const std::uint16_t>(b), Planes::joined);
    writer.write(std::span<const std::uint8_t>(none), Planes::joined);
    writer.write(std::span<const std::uint64_t>(d), Planes::joined);
    PlaneReader reader;
    reader.begin(writer.finish(), kMuch);
    UnwrittenVector<std::uint32_t> a_back;
    UnwrittenVector<std::uint16_t> b_back;
    UnwrittenVector<std::uint8_t> none_back;
    UnwrittenVector<std::uint64_t> d_back;
    reader.read(a.size(), a_back);
    reader.read(b.size(), b_back);
    reader.read(0, none_back);
    EXPECT_FALSE(reader.at_end());
    reader.read(d.size(), d_back);
    EXPECT_TRUE(reader.at_end());
    EXPECT_TRUE(std::equal(a.begin(), a.end(), a_back.begin(), a_back.end()));
    EXPECT_TRUE(std::equal(b.begin(), b.end(), b_back.begin(), b_back.end()));
    EXPECT_TRUE(std::equal(d.begin(), d.end(), d_back.begin(), d_back.end()));
  }
}

// Columns with planes of all forms.
std::vector<Bytes> planes_of_all_forms() {
  std::vector<std::uint32_t> wide(300);
  const Bytes random = test::random_bytes(300, 3);
  const auto few = few_values<std::uint8_t>(300, 4);
  for (std::size_t i = 0; i < wide.size(); ++i) {
    wide[i] = 0x11000000u | random[i] | std::uint32_t{few[i]} << 8 | (i % 20 ? 0 : 5u << 16);
  }
  return {planes_of(wide), planes_of(wide, Planes::joined)};
}

TEST(BytePlanesDamage, EveryTruncationIsAnError) {
  for (const Bytes& planes : planes_of_all_forms()) {
    test::GuardedBytes guarded(planes.size());
    for (std::size_t size = 0; size < planes.size(); ++size) {
      const std::uint8_t* const at = guarded.hold(std::span(planes).first(size));
      EXPECT_EQ(thrown_text([&] { column_of<std::uint32_t>({at, size}, 300); }), "a column makes no sense") << size;
    }
  }
}

// A wrong byte may give wrong values, for which blocks have checksums, but nothing else.
TEST(BytePlanesDamage, WrongBytesGiveErrorsOrValues) {
  for (const Bytes& planes : planes_of_all_forms()) {
    test::GuardedBytes guarded(planes.size());
    for (std::size_t at = 0; at < planes.size(); ++at) {
      for (const unsigned change : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u, 255u}) {
        Bytes damaged = planes;
        damaged[at] ^= static_cast<std::uint8_t>(change);
        const std::uint8_t* const held = guarded.hold(damaged);
        thrown_text([&] { column_of<std::uint32_t>({held, damaged.size()}, 300); });
      }
    }
  }
}

TEST(BytePlanesDamage, OtherCountsAreErrors) {
  for (const Bytes& planes : planes_of_all_forms()) {
    for (const std::size_t count : {1, 5, 299, 301, 100'000}) {
      EXPECT_NE(thrown_text([&] { column_of<std::uint32_t>(planes, count); }), "") << count;
    }
  }
}

TEST(BytePlanesDamage, UnknownFormIsAnError) {
  EXPECT_EQ(thrown_text([] {
              column_of<std::uint8_t>(Bytes{0, 0, 0, 0, 0, 0, 0, 0, 5, 1}, 1);
            }),
            "a column makes no sense");
}

TEST(BytePlanesDamage, SparseNeverReachesBeyondItsColumn) {
  const auto sparse = [](const Bytes& pairs) {
    Bytes bytes = {static_cast<std::uint8_t>(pairs.size()), 0, 0, 0, 0, 0, 0, 0};
    bytes.insert(bytes.end(), pairs.begin(), pairs.end());
    return bytes + Bytes{4, static_cast<std::uint8_t>(pairs.size()), 0, 0, 0};
  };
  EXPECT_EQ(column_of<std::uint8_t>(sparse({3, 9}), 4), (Bytes{0, 0, 0, 9}));
  for (const Bytes& pairs : {Bytes{4, 9}, Bytes{255, 9}, Bytes{3, 9, 0, 1}, Bytes{255, 0, 0, 1}, Bytes{1, 2, 3}}) {
    EXPECT_NE(thrown_text([&] { column_of<std::uint8_t>(sparse(pairs), 4); }), "");
  }
}

TEST(BytePlanesDamage, JoinedPlanesTakeNoMoreThanThereCanBe) {
  PlaneReader reader;
  const Bytes huge = {0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0, 1, 2, 3, 4};
  EXPECT_EQ(thrown_text([&] { reader.begin(huge, 1000); }), "a column makes no sense");
}

}  // namespace
}  // namespace warpmeter
