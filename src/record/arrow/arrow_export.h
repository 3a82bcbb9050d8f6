// Columns for whoever computes with them in this process, as Arrow's C data interface has them: a schema, and arrays,
// each of which owns its columns from then on.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/thread_annotations.h"
#include "core/typed_columns.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::inline record {

// A column as its schema tells of it. Those of Flow Records are those of typed_columns.h.
struct ArrowField {
  std::string name;
  std::string_view format;  // as Arrow writes types; a literal
  bool nullable = true;
  std::string_view items = "u";  // of a list, their type: numbers or texts

  bool is_text() const { return format == "u"; }
  bool is_list() const { return format == "+l"; }
};

std::string_view arrow_format_of(TypedColumn::Type type);
std::vector<ArrowField> arrow_fields(const std::vector<TypedColumn>& columns);

// A struct with a field for each. Fills it; the caller releases it, from any thread.
void export_schema(const std::vector<ArrowField>& fields, ArrowSchema& to);

// The values of one column, as Arrow lays them out.
struct ArrowColumn {
  std::vector<std::uint8_t> values;    // numbers in the machine's byte order; of texts their letters
  std::vector<std::int32_t> offsets;   // of texts, where each begins, and the end; otherwise empty
  std::vector<std::uint8_t> validity;  // a bit a row, the lowest first; empty: none is null
  std::int64_t nulls = 0;
  std::vector<ArrowColumn> items;  // of lists, the one column of all their items; `offsets` are in it then
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

// REQUIRES: offsets are not empty, nor those of items[0].
inline std::size_t append_list(ArrowColumn& to, const std::vector<std::string_view>& texts) {
  std::size_t bytes = sizeof(std::int32_t);
  for (const std::string_view text : texts) bytes += append_text(to.items[0], text);
  to.offsets.push_back(static_cast<std::int32_t>(to.items[0].offsets.size() - 1));
  return bytes;
}

// Before or after the value, which is there in any case. Of a column that may be null, for every row.
inline void append_validity(ArrowColumn& to, std::int64_t row, bool valid) {
  if (row % 8 == 0) to.validity.push_back(0);
  to.validity.back() = static_cast<std::uint8_t>(to.validity.back() | valid << row % 8);
  to.nulls += !valid;
}

// Columns whose arrays were released, by their places, for others in the same places: to get memory from the system
// takes longer than to fill it.
//
// Threads: any.
class UsedColumns {
 public:
  explicit UsedColumns(std::size_t places) : columns_(places) {}
  // With what was in it, or an empty one.
  ArrowColumn take(std::size_t place);
  void give(std::size_t place, ArrowColumn&& column);

 private:
  static constexpr std::size_t kMostOfPlace = 64;  // are kept, however many a program has had at once
  std::mutex mutex_;
  std::vector<std::vector<ArrowColumn>> columns_ WARPMETER_GUARDED_BY(mutex_);
};

// A struct of them. Fills it; the caller releases it, from any thread. `used`: gets the columns then.
void export_array(std::vector<ArrowColumn> columns, std::int64_t rows, ArrowArray& to,
                  const std::shared_ptr<UsedColumns>& used = {});

}  // namespace warpmeter::inline record
