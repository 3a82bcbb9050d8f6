// What Arrow's decoders read from pages that are encoded here: each width, runs, values at the ends of their types, and
// which rows are null.
#include "record/parquet/module/page_encoding.h"

#include <gtest/gtest.h>
#include <parquet/column_reader.h>
#include <parquet/encoding.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace warpmeter {
namespace {

template <class T>
using ParquetType = std::conditional_t<sizeof(T) == 4, ::parquet::Int32Type, ::parquet::Int64Type>;

template <class T>
std::vector<T> decoded(::parquet::Encoding::type encoding, const PageBytes& bytes, std::size_t count) {
  using Type = ParquetType<T>;
  const auto decoder = ::parquet::MakeTypedDecoder<Type>(encoding, nullptr);
  decoder->SetData(static_cast<int>(count), bytes.data(), static_cast<int>(bytes.size()));
  std::vector<typename Type::c_type> values(count + 1);
  EXPECT_EQ(decoder->Decode(values.data(), static_cast<int>(count) + 1), static_cast<int>(count));
  return {values.begin(), values.begin() + count};
}

template <class T>
void expect_deltas(const std::vector<T>& values) {
  PageBytes bytes;
  const std::size_t most = most_of_deltas<T>(values.size());
  std::uint8_t* const begin = bytes.room_for(most);
  std::uint8_t* const end = put_deltas<T>(begin, values);
  ASSERT_LE(end, begin + most);
  bytes.end_at(end);
  EXPECT_EQ(decoded<T>(::parquet::Encoding::DELTA_BINARY_PACKED, bytes, values.size()), values);
}

template <class T>
class Deltas : public testing::Test {};
using Numbers = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Deltas, Numbers);

TYPED_TEST(Deltas, OfAnyWidthAndCount) {
  std::mt19937_64 random(1);
  for (unsigned bits = 0; bits <= std::numeric_limits<TypeParam>::digits; ++bits) {
    for (const std::size_t count : {1, 2, 33, 128, 129, 130, 1000}) {
      std::vector<TypeParam> values(count);
      for (TypeParam& value : values) value = static_cast<TypeParam>(bits ? random() >> (64 - bits) : 7);
      expect_deltas(values);
    }
  }
}

TYPED_TEST(Deltas, OfTheFarthestValues) {
  using Signed = std::make_signed_t<TypeParam>;
  std::vector<TypeParam> values;
  for (int i = 0; i < 300; ++i) {
    values.push_back(
        static_cast<TypeParam>(i % 2 ? std::numeric_limits<Signed>::max() : std::numeric_limits<Signed>::min()));
    if (i % 7 == 0) values.push_back(std::numeric_limits<TypeParam>::max());
  }
  expect_deltas(values);
  expect_deltas(std::vector<TypeParam>{});
}

TYPED_TEST(Deltas, OfWhatGrowsTakeLittle) {
  std::vector<TypeParam> values(10'000);
  std::iota(values.begin(), values.end(), TypeParam{1'000'000});
  PageBytes bytes;
  std::uint8_t* const begin = bytes.room_for(most_of_deltas<TypeParam>(values.size()));
  EXPECT_LT(put_deltas<TypeParam>(begin, values) - begin, 600);
}

// By the levels that a page with one bit would have, and for other widths by a dictionary of the numbers themselves.
std::vector<std::uint32_t> read_again(const std::vector<std::uint32_t>& numbers, unsigned width) {
  PageBytes bytes;
  const std::size_t most = 1 + HybridEncoder::most(numbers.size(), width);
  std::uint8_t* const begin = bytes.room_for(most);
  *begin = static_cast<std::uint8_t>(width);
  std::uint8_t* const end = HybridEncoder(numbers, width).put(begin + 1);
  EXPECT_LE(end, begin + most);
  bytes.end_at(end);
  std::vector<std::int32_t> entries(std::size_t{1} << width);
  std::iota(entries.begin(), entries.end(), 0);
  const auto plain = ::parquet::MakeTypedDecoder<::parquet::Int32Type>(::parquet::Encoding::PLAIN, nullptr);
  plain->SetData(static_cast<int>(entries.size()), reinterpret_cast<const std::uint8_t*>(entries.data()),
                 static_cast<int>(entries.size() * sizeof entries[0]));
  const auto decoder = ::parquet::MakeDictDecoder<::parquet::Int32Type>(nullptr);
  decoder->SetDict(plain.get());
  decoder->SetData(static_cast<int>(numbers.size()), bytes.data(), static_cast<int>(bytes.size()));
  std::vector<std::int32_t> values(numbers.size() + 1);
  EXPECT_EQ(decoder->Decode(values.data(), static_cast<int>(numbers.size())), static_cast<int>(numbers.size()));
  return {values.begin(), values.end() - 1};
}

TEST(Hybrid, HasRunsAndOthers) {
  std::mt19937 random(2);
  for (unsigned width = 1; width <= 17; ++width) {
    for (const unsigned longest : {1u, 3u, 9u, 20u, 100u, 3'000u}) {
      std::vector<std::uint32_t> numbers;
      const std::size_t count = 1 + random() % 5'000;
      while (numbers.size() < count) {
        const auto number = static_cast<std::uint32_t>(random() >> (32 - width));
        numbers.insert(numbers.end(), 1 + random() % longest, number);
      }
      ASSERT_EQ(read_again(numbers, width), numbers) << width << " bits, runs of " << longest;
    }
  }
}

TEST(Hybrid, TakesFewBytesForOneNumber) {
  const std::vector<std::uint32_t> numbers(100'000, 3);
  std::vector<std::uint8_t> room(HybridEncoder::most(numbers.size(), 2));
  EXPECT_LE(HybridEncoder(numbers, 2).put(room.data()) - room.data(), 5);
}

std::vector<bool> rows_with_values(std::size_t count, unsigned kind) {
  std::mt19937 random(kind);
  std::vector<bool> valid(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (kind) {
      case 0: valid[i] = false; break;
      case 1: valid[i] = true; break;
      case 2: valid[i] = random() % 10 > 0; break;
      case 3: valid[i] = random() % 200 == 0; break;
      default: valid[i] = i / 300 % 2;
    }
  }
  return valid;
}

TEST(ValidRows, AreLevelsAndValues) {
  for (unsigned kind = 0; kind < 5; ++kind) {
    for (const std::size_t rows : {1, 7, 8, 63, 64, 65, 128, 1'000, 4'097, 16'384}) {
      const std::vector<bool> valid = rows_with_values(rows, kind);
      ValidRows bits(rows);
      std::fill_n(bits.bits(), rows / 8 + 1, std::uint8_t{0xa5});  // what stood there, also behind the rows
      std::vector<std::uint16_t> values(rows), wanted;
      for (std::size_t i = 0; i < rows; ++i) {
        const auto bit = static_cast<std::uint8_t>(1 << i % 8);
        bits.bits()[i / 8] = static_cast<std::uint8_t>((bits.bits()[i / 8] & ~bit) | (valid[i] ? bit : 0));
        values[i] = static_cast<std::uint16_t>(7 * i);
        if (valid[i]) wanted.push_back(values[i]);
      }
      std::vector<std::uint8_t> levels(ValidRows::most_of_levels(rows));
      const auto size = static_cast<int>(bits.put_levels(levels.data(), rows) - levels.data());
      ASSERT_LE(size, static_cast<int>(levels.size()));
      ::parquet::LevelDecoder decoder;
      ASSERT_EQ(decoder.SetData(::parquet::Encoding::RLE, 1, static_cast<int>(rows), levels.data(), size), size);
      std::vector<std::int16_t> read(rows);
      ASSERT_EQ(decoder.Decode(static_cast<int>(rows), read.data()), static_cast<int>(rows));
      ASSERT_TRUE(std::equal(read.begin(), read.end(), valid.begin())) << rows << " rows, kind " << kind;
      std::vector<std::uint32_t> copied(rows + 1);
      copied.resize(bits.copy_values(values.data(), rows, copied.data()) - copied.data());
      ASSERT_TRUE(std::ranges::equal(copied, wanted)) << rows << " rows, kind " << kind;
    }
  }
}

TEST(NumberDictionary, NumbersValuesInTheirOrder) {
  NumberDictionary<std::uint64_t> dictionary;
  for (int round = 0; round < 2; ++round) {  // the second after clear()
    std::vector<std::uint64_t> wanted;
    std::mt19937_64 random(round);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t value = i % 3 ? random() % 5'000 : 0xffff'0000'0000'0000 + random() % 3'000;
      const auto at = std::ranges::find(wanted, value) - wanted.begin();
      if (at == std::ssize(wanted)) wanted.push_back(value);
      ASSERT_EQ(dictionary.number_of(value), at);
    }
    EXPECT_EQ(dictionary.values(), wanted);
    dictionary.clear();
    EXPECT_TRUE(dictionary.values().empty());
  }
}

}  // namespace
}  // namespace warpmeter
