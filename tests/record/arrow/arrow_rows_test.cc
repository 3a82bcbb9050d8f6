// Rows of values as Arrow arrays: every type, nulls, and that a row more begins anew after they were taken.
#include "record/arrow/arrow_format.h"

#include <gtest/gtest.h>

#include <string>

namespace warpmeter {
namespace {

TEST(ArrowRows, HoldEveryValue) {
  constexpr std::int64_t kEach = 19;  // no multiple of a byte's bits
  ArrowRows rows({{"text", "u"}, {"octet", "C"}, {"port", "S"}, {"count", "L"}, {"share", "g"}});
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < kEach; ++i) {
      if (i % 3) rows.put(0, "row " + std::to_string(i));
      else rows.put_null(0);
      rows.put(1, i);
      rows.put(2, 1000 + i);
      if (i % 2) rows.put(3, INT64_MAX - i);
      else rows.put_null(3);
      rows.put(4, static_cast<double>(i) / 4);
      rows.end_row();
    }
    EXPECT_EQ(rows.rows(), kEach);
    EXPECT_GT(rows.bytes(), 0U);
    ArrowArray array{};
    rows.take(array);
    EXPECT_EQ(rows.rows(), 0);
    EXPECT_EQ(rows.bytes(), 0U);
    EXPECT_EQ(array.length, kEach);
    const auto column = [&](int i) -> const ArrowArray& { return *array.children[i]; };
    const auto valid = [&](int i, std::int64_t row) {
      const auto* const bits = static_cast<const std::uint8_t*>(column(i).buffers[0]);
      return !bits || bits[row / 8] >> row % 8 & 1;
    };
    EXPECT_EQ(column(0).null_count, 7);
    EXPECT_EQ(column(3).null_count, 10);
    EXPECT_EQ(column(4).null_count, 0);
    const auto* const offsets = static_cast<const std::int32_t*>(column(0).buffers[1]);
    for (std::int64_t i = 0; i < kEach; ++i) {
      const std::string text(static_cast<const char*>(column(0).buffers[2]) + offsets[i],
                             static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
      EXPECT_EQ(text, i % 3 ? "row " + std::to_string(i) : "");
      EXPECT_EQ(valid(0, i), i % 3 != 0);
      EXPECT_EQ(valid(3, i), i % 2 != 0);
      EXPECT_EQ(static_cast<const std::uint8_t*>(column(1).buffers[1])[i], i);
      EXPECT_EQ(static_cast<const std::uint16_t*>(column(2).buffers[1])[i], 1000 + i);
      EXPECT_EQ(static_cast<const std::int64_t*>(column(3).buffers[1])[i], i % 2 ? INT64_MAX - i : 0);
      EXPECT_EQ(static_cast<const double*>(column(4).buffers[1])[i], static_cast<double>(i) / 4);
    }
    array.release(&array);
  }
}

}  // namespace
}  // namespace warpmeter
