// The pages of a column of Parquet, from Arrow's arrays of whole numbers or of keys, in the form that the file has
// chosen for it by its first rows (page_encoding.h). Headers, codec and checksums are those of Arrow's page writer.
//
// Threads: one a column.
#pragma once

#include <arrow/array/array_binary.h>
#include <arrow/buffer.h>
#include <arrow/record_batch.h>
#include <arrow/util/bit_util.h>
#include <arrow/util/bitmap_ops.h>
#include <parquet/api/writer.h>
#include <parquet/column_page.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/prefetch.h"
#include "core/seeded_hash.h"
#include "record/parquet/module/page_encoding.h"
#include "record/parquet/module/record_file_writer.h"
#include "record/text/value_text.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline record {

// Addresses as a version and 16 bytes, or words with zeros behind them.
inline constexpr int kAddressBytes = 17, kWordBytes = 16;

inline bool has_keys(const arrow::DataType& type) { return type.id() == arrow::Type::FIXED_SIZE_BINARY; }

inline std::string_view text_of(const std::uint8_t* key, int size, char (&room)[kAddressText]) {
  const char* const word = reinterpret_cast<const char*>(key);
  if (size != kAddressBytes) return {word, strnlen(word, static_cast<std::size_t>(size))};
  std::uint8_t address[sizeof FlowKey::source];
  std::memcpy(address, key + 1, sizeof address);
  return {room, static_cast<std::size_t>(write_address(room, address, key[0]) - room)};
}

// Keys of one size, and the texts that they stand for, as a dictionary: in the order in which keys come first, so that
// it depends on nothing else. Keys are hashed as they are, and lie side by side, so that a core's cache has them.
template <int kSize>
class KeyDictionary {
 public:
  // Writes the number of each. By blocks, whose slots come into the cache while the hashes of others are computed.
  void number(const std::uint8_t* key, std::int64_t count, std::uint32_t* numbers) {
    constexpr std::int64_t kBlock = 64;
    std::array<std::uint64_t, kBlock> hashes;
    for (std::int64_t first = 0; first < count; first += kBlock) {
      const std::int64_t some = std::min(kBlock, count - first);
      for (std::int64_t i = 0; i < some; ++i) {
        hashes[i] = hash_of(key + i * kSize);
        prefetch(&slots_[hashes[i] & (slots_.size() - 1)]);
      }
      for (std::int64_t i = 0; i < some; ++i, key += kSize) *numbers++ = number_of(key, hashes[i]);
    }
  }

  std::size_t size() const { return keys_.size(); }
  // As a page has texts: each behind its length.
  void put_texts(PageBytes& to) const {
    std::uint8_t* at = to.room_for(keys_.size() * (sizeof(std::uint32_t) + kAddressText));
    char room[kAddressText];
    for (const Key& key : keys_) {
      const std::string_view text = text_of(key.data(), kSize, room);
      const auto length = static_cast<std::uint32_t>(text.size());
      std::memcpy(at, &length, sizeof length);
      at = std::copy(text.begin(), text.end(), at + sizeof length);
    }
    to.end_at(at);
  }
  void clear() {
    keys_.clear();
    std::ranges::fill(slots_, Slot());
  }

 private:
  using Key = std::array<std::uint8_t, kSize>;
  struct Slot {
    std::uint32_t hash = 0;  // its high half
    std::int32_t number = -1;
  };

  // A sum of products as hash_seed.h has them: hash_bytes() takes three times as long, since it knows no size.
  std::uint64_t hash_of(const std::uint8_t* key) const {
    static_assert(kSize == 16 || kSize == 17);
    std::uint64_t first, second;
    std::memcpy(&first, key, sizeof first);
    std::memcpy(&second, key + sizeof first, sizeof second);
    Wide sum = wide_product(first + seed_.word[0], second + seed_.word[1]);
    if (kSize == 17) sum += wide_product(key[16] + seed_.word[2], seed_.word[3]);
    return fold_multiply(low_half(sum) ^ seed_.word[4], high_half(sum) ^ seed_.word[5]);
  }

  std::uint32_t number_of(const std::uint8_t* key, std::uint64_t hash) {
    const auto high = static_cast<std::uint32_t>(hash >> 32);
    std::size_t at = hash & (slots_.size() - 1);
    for (; slots_[at].number >= 0; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.hash == high && std::memcmp(keys_[slot.number].data(), key, kSize) == 0) return slot.number;
    }
    slots_[at] = {high, static_cast<std::int32_t>(keys_.size())};
    std::copy_n(key, kSize, keys_.emplace_back().data());
    if (2 * keys_.size() > slots_.size()) grow();
    return static_cast<std::uint32_t>(keys_.size() - 1);
  }
  void grow() {
    slots_.assign(2 * slots_.size(), {});
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint64_t hash = hash_of(keys_[i].data());
      std::size_t at = hash & (slots_.size() - 1);
      while (slots_[at].number >= 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {static_cast<std::uint32_t>(hash >> 32), static_cast<std::int32_t>(i)};
    }
  }

  const HashSeed& seed_ = process_seed();
  std::vector<Slot> slots_ = std::vector<Slot>(1 << 10);  // a power of two of them
  std::vector<Key> keys_;
};

enum class PageForm : std::uint8_t { plain, deltas, dictionary };

// The pages of a column that holds whole numbers or keys, of one row group after the other; its memory stays.
class ColumnPages {
 public:
  ColumnPages(PageForm form, bool nullable) : form_(form), nullable_(nullable) {}
  virtual ~ColumnPages() = default;

  // Pages that come are packed by the file's codec. REQUIRES: there are none.
  void pack() { codec_ = zstd(); }

  // These rows without the first, as whole pages and a last one.
  void add(const arrow::RecordBatchVector& batches, int column, std::int64_t first = 0) {
    room_ = &page_room();
    for (const auto& batch : batches) {
      const auto& array = batch->column(column);
      std::int64_t at = std::min(first, array->length());
      first -= at;
      for (std::int64_t rows = 0; at < array->length(); at += rows) {
        rows = std::min(array->length() - at, kRowsOfPage - rows_);
        add_rows(rows == array->length() ? *array : *array->Slice(at, rows), rows);
        if (rows_ == kRowsOfPage) end_page();
      }
    }
    if (rows_ > 0) end_page();
  }

  // Into the row group's part of the file, but for its end. Forgets all rows. Returns the bytes, as they are without a
  // codec.
  std::int64_t write(::parquet::PageWriter& to, ::parquet::ColumnChunkMetaDataBuilder& about) {
    using ::parquet::Encoding;
    const bool is_signed = about.descr()->sort_order() == ::parquet::SortOrder::SIGNED;
    std::int64_t bytes = 0, first_row = 0;
    if (has_dictionary()) {
      const auto [values, entries] = dictionary();
      bytes +=
          to.WriteDictionaryPage({buffer_of(*entries, 0, entries->size()), static_cast<int>(values), Encoding::PLAIN});
    }
    for (Page& page : pages_) {
      page.about.set_is_signed(is_signed);
      bytes += to.WriteDataPage(::parquet::DataPageV1(buffer_of(bytes_, page.begin, page.end),
                                                      static_cast<int>(page.rows), encoding(), Encoding::RLE,
                                                      Encoding::RLE, page.unpacked, page.about, first_row));
      first_row += page.rows;
    }
    ::parquet::EncodedStatistics of_all = statistics();
    of_all.set_is_signed(is_signed);
    if (of_all.is_set()) about.SetStatistics(of_all);
    clear();
    return bytes;
  }

  bool has_dictionary() const { return form_ == PageForm::dictionary; }
  // Of what was added, that many bytes lie in pages; and so many in the dictionary, of so many values.
  const PageBytes& bytes() const { return bytes_; }
  virtual std::size_t count() const { return 0; }  // that are not null; of keys this is not asked for
  virtual std::pair<std::size_t, const PageBytes*> dictionary() = 0;
  virtual void clear() {
    bytes_.clear();
    pages_.clear();
  }

 protected:
  using Statistics = ::parquet::EncodedStatistics;
  virtual void add_rows(const arrow::Array& rows, std::int64_t count) = 0;
  virtual void end_page() = 0;
  virtual Statistics statistics() const { return {}; }  // of all pages

  static std::shared_ptr<arrow::Buffer> buffer_of(const PageBytes& bytes, std::size_t begin, std::size_t end) {
    return std::make_shared<arrow::Buffer>(bytes.data() + begin, static_cast<std::int64_t>(end - begin));
  }
  ::parquet::Encoding::type encoding() const {
    switch (form_) {
      case PageForm::plain: return ::parquet::Encoding::PLAIN;
      case PageForm::deltas: return ::parquet::Encoding::DELTA_BINARY_PACKED;
      default: return ::parquet::Encoding::RLE_DICTIONARY;
    }
  }

  // Levels of the rows that were added, with room for so many bytes behind them.
  std::uint8_t* begin_page(std::size_t bytes) {
    const auto rows = static_cast<std::size_t>(rows_);
    PageBytes& page = codec_ ? unpacked_ : bytes_;
    std::uint8_t* const to = page.room_for(ValidRows::most_of_levels(rows) + bytes);
    page_ = to;
    return nullable_ ? room_->valid.put_levels(to, rows) : to;
  }
  void end_page_at(std::uint8_t* end, Statistics about = {}) {
    const std::int64_t size = end - page_;
    const std::size_t begin = bytes_.size();
    if (codec_) {
      const std::int64_t most = codec_->MaxCompressedLen(size, page_);
      std::uint8_t* const to = bytes_.room_for(static_cast<std::size_t>(most));
      end = to + value(codec_->Compress(size, page_, most, to));
    }
    bytes_.end_at(end);
    pages_.push_back({begin, bytes_.size(), size, std::exchange(rows_, 0), std::move(about)});
  }
  std::uint8_t* put_numbers(std::uint8_t* to, std::size_t count, std::size_t values) {
    const auto width = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(values, 2) - 1));
    *to++ = static_cast<std::uint8_t>(width);
    return HybridEncoder({room_->numbers.data(), count}, width).put(to);
  }

  const PageForm form_;
  const bool nullable_;
  std::int64_t rows_ = 0;     // of the page
  PageRoom* room_ = nullptr;  // while rows are added

 private:
  struct Page {
    std::size_t begin, end;
    std::int64_t unpacked, rows;
    Statistics about;
  };
  std::unique_ptr<arrow::util::Codec> codec_;  // null: none
  PageBytes unpacked_, bytes_;
  const std::uint8_t* page_ = nullptr;  // that is being made
  std::vector<Page> pages_;
};

// Numbers of 8 and 16 bits take 32, as Parquet has them.
template <class T>
class NumberPages : public ColumnPages {
 public:
  using Stored = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
  using ColumnPages::ColumnPages;

  std::pair<std::size_t, const PageBytes*> dictionary() override {
    const auto& values = dictionary_.values();
    entries_.clear();
    const std::size_t size = values.size() * sizeof(Stored);
    std::uint8_t* const to = entries_.room_for(size);
    std::memcpy(to, values.data(), size);
    entries_.end_at(to + size);
    return {values.size(), &entries_};
  }
  void clear() override {
    ColumnPages::clear();
    dictionary_.clear();
    all_ = {};
  }

  std::size_t count() const override { return all_.count; }

 private:
  struct Range {
    std::int64_t nulls = 0;
    std::size_t count = 0;
    T least = std::numeric_limits<T>::max(), most = std::numeric_limits<T>::lowest();
  };

  void add_rows(const arrow::Array& rows, std::int64_t count) override {
    const T* const from = rows.data()->GetValues<T>(1);
    const std::int64_t nulls = nullable_ ? rows.null_count() : 0;
    if (!nullable_) {
      std::copy_n(from, count, values() + rows_);
    } else {
      std::copy_n(from, count, PageRoom::of<T>(room_->rows) + rows_);
      std::uint8_t* const bits = room_->valid.bits();
      if (nulls > 0) arrow::internal::CopyBitmap(rows.null_bitmap_data(), rows.offset(), count, bits, rows_);
      else arrow::bit_util::SetBitsTo(bits, rows_, count, true);
    }
    page_.nulls += nulls;
    rows_ += count;
  }

  void end_page() override {
    page_.count = take_values();
    for (const Stored stored : std::span(values(), page_.count)) {
      page_.least = std::min(page_.least, static_cast<T>(stored));
      page_.most = std::max(page_.most, static_cast<T>(stored));
    }
    end_page_at(put_values(page_.count), statistics_of(page_));
    all_ = {all_.nulls + page_.nulls, all_.count + page_.count, std::min(all_.least, page_.least),
            std::max(all_.most, page_.most)};
    page_ = {};
  }

  Stored* values() { return PageRoom::of<Stored>(room_->values); }
  // Those that are there. Returns how many.
  std::size_t take_values() {
    const auto rows = static_cast<std::size_t>(rows_);
    const T* const from = PageRoom::of<T>(room_->rows);
    if (page_.nulls > 0) return static_cast<std::size_t>(room_->valid.copy_values(from, rows, values()) - values());
    if (nullable_) std::copy_n(from, rows, values());
    return rows;
  }

  std::uint8_t* put_values(std::size_t count) {
    const std::span<const Stored> values(this->values(), count);
    if (form_ == PageForm::plain) {
      std::uint8_t* const to = begin_page(count * sizeof(Stored));
      std::memcpy(to, values.data(), count * sizeof(Stored));
      return to + count * sizeof(Stored);
    }
    if (form_ == PageForm::deltas) return put_deltas(begin_page(most_of_deltas<Stored>(count)), values);
    for (std::size_t i = 0; i < count; ++i) room_->numbers[i] = dictionary_.number_of(values[i]);
    return put_numbers(begin_page(HybridEncoder::most(count, 32)), count, dictionary_.values().size());
  }

  static Statistics statistics_of(const Range& range) {
    Statistics about;
    about.set_null_count(range.nulls);
    about.all_null_value = range.count == 0;
    if (range.count == 0) return about;
    const auto bytes = [](T value) {
      const auto stored = static_cast<Stored>(value);
      return std::string(reinterpret_cast<const char*>(&stored), sizeof stored);
    };
    about.set_min(bytes(range.least)).set_max(bytes(range.most));
    return about;
  }
  Statistics statistics() const override { return statistics_of(all_); }

  NumberDictionary<Stored> dictionary_;
  PageBytes entries_;
  Range page_, all_;
};

// Of texts there are no statistics: the first and the last say nothing of where others are.
template <int kSize>
class KeyPages : public ColumnPages {
 public:
  explicit KeyPages(bool nullable) : ColumnPages(PageForm::dictionary, nullable) {}

  std::pair<std::size_t, const PageBytes*> dictionary() override {
    entries_.clear();
    dictionary_.put_texts(entries_);
    return {dictionary_.size(), &entries_};
  }
  void clear() override {
    ColumnPages::clear();
    dictionary_.clear();
  }

 private:
  void add_rows(const arrow::Array& rows, std::int64_t count) override {
    const auto* const keys = static_cast<const arrow::FixedSizeBinaryArray&>(rows).raw_values();
    dictionary_.number(keys, count, room_->numbers.data() + rows_);
    if (nullable_) arrow::bit_util::SetBitsTo(room_->valid.bits(), rows_, count, true);
    rows_ += count;
  }
  void end_page() override {
    const auto count = static_cast<std::size_t>(rows_);
    end_page_at(put_numbers(begin_page(HybridEncoder::most(count, 32)), count, dictionary_.size()));
  }

  KeyDictionary<kSize> dictionary_;
  PageBytes entries_;
};

}  // namespace warpmeter::inline record
