// The values of one column, as Arrow lays them out.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace warpmeter::inline record {

struct ArrowColumn {
  std::vector<std::uint8_t> values;    // numbers in the machine's byte order; of texts their letters
  std::vector<std::int32_t> offsets;   // of texts, where each begins, and the end; otherwise empty
  std::vector<std::uint8_t> validity;  // a bit a row, the lowest first; empty: none is null
  std::int64_t nulls = 0;
};

// These append the next row, and return the bytes that it takes.
template <class T>
std::size_t append_number(ArrowColumn& to, T value) {
  const std::size_t at = to.values.size();
  to.values.resize(at + sizeof value);
  std::memcpy(to.values.data() + at, &value, sizeof value);
  return sizeof value;
}

// REQUIRES: offsets are not empty.
inline std::size_t append_text(ArrowColumn& to, std::string_view text) {
  to.values.insert(to.values.end(), text.begin(), text.end());
  to.offsets.push_back(static_cast<std::int32_t>(to.values.size()));
  return text.size() + sizeof(std::int32_t);
}

// Before or after the value, which is there in any case. Of a column that may be null, for every row.
inline void append_validity(ArrowColumn& to, std::int64_t row, bool valid) {
  if (row % 8 == 0) to.validity.push_back(0);
  to.validity.back() = static_cast<std::uint8_t>(to.validity.back() | valid << row % 8);
  to.nulls += !valid;
}

}  // namespace warpmeter::inline record
