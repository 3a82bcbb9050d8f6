// What a Parquet file may make of a reader, by its size. Pages of one value, rows that are all the same, and lists of
// the footer take next to nothing in a file, and any memory and time without one of these limits; what is beyond them
// is damage. Files of Flow Records are far below them: a row takes some 25 bytes, and a page some 10 times what it has
// in the file. The writer keeps to them, whatever the records are.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmeter::inline record {

// Rows: so many in any file, and one more for each byte of it.
inline constexpr std::int64_t kFreeRows = std::int64_t{1} << 20;
constexpr std::int64_t most_rows(std::int64_t file_bytes) { return kFreeRows + file_bytes; }

// Bytes of all pages and of what reads them, at a time.
constexpr std::int64_t most_memory(std::int64_t file_bytes) {
  return (std::int64_t{128} << 20) + 16 * std::min(file_bytes, std::int64_t{1} << 40);
}

// Bytes of a value and its length: an address as text has at most 45, a decimal 16, an annotation 1020.
inline constexpr std::int64_t kMostOfNumber = 64, kMostOfText = 1024;

// Bytes of a page of so many values. Pages of few values may have room that nothing needs.
constexpr std::int64_t most_of_page(std::int64_t values, std::int64_t most_of_value) {
  return (1 << 16) + most_of_value * std::max<std::int64_t>(values, 0);
}

// Texts in lists, of all rows of the file.
constexpr std::int64_t most_in_lists(std::int64_t file_bytes) { return 8 * most_rows(file_bytes); }

// Bytes of the footer, which can take 260 times that in memory, and entries of one list of it, for which room is made
// before there is any. Of a small row group, an eighth of its bytes are there.
constexpr std::int64_t most_of_footer(std::int64_t file_bytes) { return (1 << 20) + file_bytes / 8; }
inline constexpr std::int32_t kMostInList = 1 << 16;

}  // namespace warpmeter::inline record
