// One column of a row group of Parquet, from Arrow's arrays: whole numbers one behind the other, without those that are
// null, and with the levels that say so; texts and lists. Encoding and codec are the file's (rows_file_writer.cc).
//
// Threads: one a column.
#pragma once

#include <arrow/array/array_binary.h>
#include <arrow/array/array_dict.h>
#include <arrow/array/array_nested.h>
#include <arrow/array/builder_binary.h>
#include <arrow/record_batch.h>
#include <arrow/result.h>
#include <parquet/api/writer.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "core/prefetch.h"
#include "core/seeded_hash.h"
#include "record/parquet/module/record_file_writer.h"

namespace warpmeter::inline record {

inline constexpr std::int64_t kRowsOfPage = 1 << 14;

inline void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

template <class T>
T value(arrow::Result<T> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

// Addresses as a version and 16 bytes, or words with zeros behind them.
inline constexpr int kAddressBytes = 17, kWordBytes = 16;

inline bool has_keys(const arrow::DataType& type) { return type.id() == arrow::Type::FIXED_SIZE_BINARY; }

// Calls take(values) with the whole numbers of an array, as they lie there. False: it has something else.
template <class Take>
bool take_numbers(const arrow::Array& array, const Take& take) {
  const arrow::ArrayData& data = *array.data();
  switch (array.type_id()) {
    case arrow::Type::UINT8: take(data.GetValues<std::uint8_t>(1)); return true;
    case arrow::Type::UINT16: take(data.GetValues<std::uint16_t>(1)); return true;
    case arrow::Type::UINT32: take(data.GetValues<std::uint32_t>(1)); return true;
    case arrow::Type::INT64:
    case arrow::Type::UINT64:
    case arrow::Type::DURATION:
    case arrow::Type::TIMESTAMP: take(data.GetValues<std::int64_t>(1)); return true;
    default: return false;
  }
}

inline std::string_view text_of(const std::uint8_t* key, int size, char (&room)[kAddressText]) {
  const char* const word = reinterpret_cast<const char*>(key);
  if (size != kAddressBytes) return {word, strnlen(word, static_cast<std::size_t>(size))};
  return {room, static_cast<std::size_t>(write_address(room, key + 1, key[0]) - room)};
}

// Keys of one size, and the texts that they stand for, as a dictionary: in the order in which keys come first, so that
// it depends on nothing else. Keys are hashed as they are, and lie side by side, so that a core's cache has them.
template <int kSize>
class KeyDictionary {
 public:
  KeyDictionary() : slots_(1 << 10) {}

  // By blocks, whose slots come into the cache while the hashes of others are computed.
  void add(const arrow::FixedSizeBinaryArray& keys) {
    constexpr std::int64_t kBlock = 64;
    std::array<std::uint64_t, kBlock> hashes;
    for (std::int64_t first = 0; first < keys.length(); first += kBlock) {
      const std::int64_t count = std::min(kBlock, keys.length() - first);
      const std::uint8_t* key = keys.raw_values() + first * kSize;
      for (std::int64_t i = 0; i < count; ++i) {
        hashes[i] = hash_bytes(key + i * kSize, kSize, seed_);
        prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
      }
      for (std::int64_t i = 0; i < count; ++i) numbers_.push_back(number_of(key + i * kSize, hashes[i]));
    }
  }

  std::shared_ptr<arrow::Array> end() {
    arrow::StringBuilder texts;
    char room[kAddressText];
    for (const Key& key : keys_) check(texts.Append(text_of(key.data(), kSize, room)));
    const auto rows = static_cast<std::int64_t>(numbers_.size());
    auto numbers = std::make_shared<arrow::Int32Array>(rows, arrow::Buffer::FromVector(std::move(numbers_)));
    return std::make_shared<arrow::DictionaryArray>(arrow::dictionary(arrow::int32(), arrow::utf8()),
                                                    std::move(numbers), value(texts.Finish()));
  }

 private:
  using Key = std::array<std::uint8_t, kSize>;
  struct Slot {
    std::uint32_t hash = 0;  // its high half
    std::int32_t number = -1;
  };

  std::int32_t number_of(const std::uint8_t* key, std::uint64_t hash) {
    const auto high = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].number >= 0; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.hash == high && std::memcmp(keys_[slot.number].data(), key, kSize) == 0) return slot.number;
    }
    slots_[at] = {high, static_cast<std::int32_t>(keys_.size())};
    std::copy_n(key, kSize, keys_.emplace_back().data());
    if (2 * keys_.size() > slots_.size()) grow();
    return static_cast<std::int32_t>(keys_.size() - 1);
  }
  void grow() {
    slots_.assign(4 * slots_.size(), {});
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint64_t hash = hash_bytes(keys_[i].data(), kSize, seed_);
      std::size_t at = hash & (slots_.size() - 1);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
    }
  }

  const HashSeed& seed_ = process_seed();
  std::vector<Slot> slots_;  // a power of two of them
  std::vector<Key> keys_;
  std::vector<std::int32_t> numbers_;
};

template <int kSize>
std::shared_ptr<arrow::Array> dictionary_of(const arrow::RecordBatchVector& rows, int column) {
  KeyDictionary<kSize> keys;
  for (const auto& batch : rows) keys.add(static_cast<const arrow::FixedSizeBinaryArray&>(*batch->column(column)));
  return keys.end();
}

inline std::shared_ptr<arrow::Array> dictionary_of(const arrow::RecordBatchVector& rows, int column, int size) {
  if (size == kAddressBytes) return dictionary_of<kAddressBytes>(rows, column);
  if (size == kWordBytes) return dictionary_of<kWordBytes>(rows, column);
  throw std::runtime_error("keys of another size");
}

// One column of a row group.
class GroupColumn {
 public:
  GroupColumn(::parquet::ColumnWriter& to, bool nullable) : to_(to), nullable_(nullable) {}

  // All its rows. Pages end where so many rows end.
  void add(const arrow::RecordBatchVector& rows, int column) {
    const auto& type = *rows.front()->schema()->field(column)->type();
    if (has_keys(type)) return add(*dictionary_of(rows, column, type.bit_width() / 8));
    for (const auto& batch : rows) add(*batch->column(column));
  }

 private:
  void add(const arrow::Array& array) {
    for (std::int64_t at = 0; at < array.length();) {
      const std::int64_t rows = std::min(array.length() - at, kRowsOfPage - rows_ % kRowsOfPage);
      const bool is_whole = rows == array.length();
      if (array.type_id() == arrow::Type::LIST) add_lists(static_cast<const arrow::ListArray&>(*array.Slice(at, rows)));
      else if (is_whole) add_values(array);
      else add_values(*array.Slice(at, rows));
      rows_ += rows;
      at += rows;
    }
  }

  void add_values(const arrow::Array& array) {
    if (nullable_) set_levels(array);
    write(array, array.null_count() > 0);
  }

  // As Parquet has them: 1 for a value, 0 for none.
  void set_levels(const arrow::Array& array) {
    levels_.assign(static_cast<std::size_t>(array.length()), 1);
    if (array.null_count() == 0) return;
    const std::uint8_t* const bits = array.null_bitmap_data();
    for (std::int64_t i = 0, at = array.offset(); i < array.length(); ++i, ++at)
      levels_[i] = bits[at / 8] >> at % 8 & 1;
  }

  // A list of no values takes a level, too. Values of lists are never null.
  void add_lists(const arrow::ListArray& lists) {
    const std::int16_t of_value = to_.descr()->max_definition_level();
    levels_.clear();
    repetitions_.clear();
    for (std::int64_t i = 0; i < lists.length(); ++i) {
      const std::int32_t count = lists.IsNull(i) ? 0 : lists.value_length(i);
      const auto levels = static_cast<std::size_t>(std::max(count, 1));
      const int lacking = count > 0 ? 0 : lists.IsNull(i) ? 2 : 1;
      levels_.insert(levels_.end(), levels, static_cast<std::int16_t>(of_value - lacking));
      repetitions_.push_back(0);
      repetitions_.resize(levels_.size(), 1);
    }
    const std::int32_t first = lists.value_offset(0), last = lists.value_offset(lists.length());
    write(*lists.values()->Slice(first, last - first), false);
  }

  void write(const arrow::Array& values, bool has_nulls) {
    const auto as_parquet = [&](const auto* numbers) {
      if (to_.type() == ::parquet::Type::INT64) write_numbers<::parquet::Int64Type>(wide_, numbers, values, has_nulls);
      else write_numbers<::parquet::Int32Type>(narrow_, numbers, values, has_nulls);
    };
    if (take_numbers(values, as_parquet)) return;
    check(to_.WriteArrow(levels(), repetitions(), levels_of(values), values, &context_, nullable_));
  }

  // Numbers one behind the other, without those that are not there.
  template <class Type, class Stored, class T>
  void write_numbers(std::vector<Stored>& scratch, const T* numbers, const arrow::Array& values, bool has_nulls) {
    auto& to = static_cast<::parquet::TypedColumnWriter<Type>&>(to_);
    const std::int64_t count = values.length();
    if (sizeof(T) == sizeof(Stored) && !has_nulls) {
      to.WriteBatch(levels_of(values), levels(), repetitions(), reinterpret_cast<const Stored*>(numbers));
      return;
    }
    scratch.resize(static_cast<std::size_t>(count));
    if (!has_nulls) {
      std::copy_n(numbers, count, scratch.begin());
    } else {
      for (std::int64_t i = 0, at = 0; i < count; at += levels_[i], ++i) scratch[at] = static_cast<Stored>(numbers[i]);
    }
    to.WriteBatch(levels_of(values), levels(), repetitions(), scratch.data());
  }

  const std::int16_t* levels() const { return levels_.empty() ? nullptr : levels_.data(); }
  const std::int16_t* repetitions() const { return repetitions_.empty() ? nullptr : repetitions_.data(); }
  std::int64_t levels_of(const arrow::Array& values) const {
    return levels_.empty() ? values.length() : static_cast<std::int64_t>(levels_.size());
  }

  ::parquet::ColumnWriter& to_;
  const bool nullable_;
  std::int64_t rows_ = 0;
  std::vector<std::int16_t> levels_, repetitions_;  // of the rows that are written; empty: the column has none
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_;
  ::parquet::ArrowWriteContext context_{arrow::system_memory_pool(),
                                        ::parquet::default_arrow_writer_properties().get()};
};

}  // namespace warpmeter::inline record
