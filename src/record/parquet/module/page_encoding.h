// Whole numbers as data pages of Parquet have them: plain, as deltas (DELTA_BINARY_PACKED), or as places in a
// dictionary, and the levels that say which are null. Arrow's encoders take several times as long, since they get value
// by value what here comes by pages.
//
// Each put_...() writes behind `to` and returns the end. Threads: any.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/seeded_hash.h"

namespace warpmeter::inline record {

// Bytes one behind the other, which are not cleared before they are written, and whose room stays.
class PageBytes {
 public:
  // Where the next byte goes, with room for so many.
  std::uint8_t* room_for(std::size_t bytes) {
    if (most_ - size_ < bytes) grow(bytes);
    return bytes_.get() + size_;
  }
  void end_at(const std::uint8_t* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const std::uint8_t* data() const { return bytes_.get(); }

 private:
  void grow(std::size_t bytes) {
    most_ = std::max(2 * most_, size_ + bytes);
    auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(most_);
    std::copy_n(bytes_.get(), size_, larger.get());
    bytes_ = std::move(larger);
  }

  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0, most_ = 0;
};

inline std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t number) {
  for (; number >= 128; number >>= 7) *to++ = static_cast<std::uint8_t>(number | 128);
  *to++ = static_cast<std::uint8_t>(number);
  return to;
}

// A number with a sign: small where it is close to 0.
template <std::unsigned_integral T>
std::uint8_t* put_zigzag(std::uint8_t* to, T number) {
  const T sign = static_cast<T>(0) - (number >> (std::numeric_limits<T>::digits - 1));
  return put_varint(to, static_cast<T>(number << 1 ^ sign));
}

inline constexpr std::size_t kPacked = 32;  // values that are packed at once

// Values of so many bits, the lowest first, without gaps. The width is known to the compiler, and with it every shift.
template <unsigned kWidth, class T>
void pack_values(const T* values, std::uint8_t* to) {
  std::array<std::uint64_t, kPacked * kWidth / 64 + 2> words{};
  const auto put = [&]<std::size_t kValue>() {
    constexpr std::size_t kWord = kValue * kWidth / 64, kShift = kValue * kWidth % 64;
    words[kWord] |= static_cast<std::uint64_t>(values[kValue]) << kShift;
    if constexpr (kShift + kWidth > 64) words[kWord + 1] = static_cast<std::uint64_t>(values[kValue]) >> (64 - kShift);
  };
  [&]<std::size_t... kValues>(std::index_sequence<kValues...>) { (put.template operator()<kValues>(), ...); }
  (std::make_index_sequence<kPacked>());
  std::memcpy(to, words.data(), kPacked * kWidth / 8);
}

template <class T>
inline constexpr auto kPackers = []<std::size_t... kWidths>(std::index_sequence<kWidths...>) {
  return std::array<void (*)(const T*, std::uint8_t*), sizeof...(kWidths)>{pack_values<kWidths, T>...};
}
(std::make_index_sequence<8 * sizeof(T) + 1>());

inline constexpr std::size_t kDeltaBlock = 128;

template <class T>
std::size_t most_of_deltas(std::size_t values) {
  return 64 + (values / kDeltaBlock + 1) * (kDeltaBlock * sizeof(T) + 16);
}

template <std::unsigned_integral T>
std::uint8_t* put_deltas(std::uint8_t* to, std::span<const T> values) {
  using Signed = std::make_signed_t<T>;
  constexpr std::size_t kPieces = kDeltaBlock / kPacked;
  to = put_varint(to, kDeltaBlock);
  to = put_varint(to, kPieces);
  to = put_varint(to, values.size());
  to = put_zigzag(to, values.empty() ? T{0} : values.front());
  std::array<T, kDeltaBlock> deltas;
  for (std::size_t first = 1; first < values.size(); first += kDeltaBlock) {
    const std::size_t count = std::min(kDeltaBlock, values.size() - first);
    const T* const of = values.data() + first;
    auto least = std::numeric_limits<Signed>::max();
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] = of[i] - of[i - 1];
      least = std::min(least, static_cast<Signed>(deltas[i]));
    }
    for (std::size_t i = 0; i < count; ++i) deltas[i] -= static_cast<T>(least);
    std::fill(deltas.begin() + count, deltas.end(), T{0});
    std::uint8_t* width = put_zigzag(to, static_cast<T>(least));
    to = width + kPieces;
    for (std::size_t piece = 0; piece < kDeltaBlock; piece += kPacked) {
      T all = 0;
      for (std::size_t i = 0; i < kPacked; ++i) all |= deltas[piece + i];
      *width = static_cast<std::uint8_t>(std::bit_width(all));
      kPackers<T>[*width](deltas.data() + piece, to);
      to += kPacked / 8 * *width++;
    }
  }
  return to;
}

// Numbers below 2 to the power of `width`: equal ones that follow each other as one with their count, others packed.
class HybridEncoder {
 public:
  HybridEncoder(std::span<const std::uint32_t> values, unsigned width)
      : values_(values), width_(width), worth_(std::max<std::size_t>(8, 32 / std::max(1u, width))) {}

  static std::size_t most(std::size_t values, unsigned width) { return 64 + (values / 8 + 8) * (width + 2); }

  std::uint8_t* put(std::uint8_t* to) const {
    for (std::size_t at = 0; at < values_.size();) {
      const std::size_t equal = equal_from(at, values_.size());
      if (equal >= worth_) {
        to = put_varint(to, equal << 1);
        std::memcpy(to, &values_[at], (width_ + 7) / 8);
        to += (width_ + 7) / 8;
        at += equal;
        continue;
      }
      const std::size_t first = at;
      do at += 8;
      while (at < values_.size() && equal_from(at, worth_) < worth_);
      to = put_packed(to, first, (at - first) / 8);
    }
    return to;
  }

 private:
  // How many, up to `most`, are the same as that one.
  std::size_t equal_from(std::size_t at, std::size_t most) const {
    const std::size_t end = std::min(values_.size(), most > values_.size() - at ? values_.size() : at + most);
    std::size_t behind = at + 1;
    while (behind < end && values_[behind] == values_[at]) ++behind;
    return behind - at;
  }

  std::uint8_t* put_packed(std::uint8_t* to, std::size_t first, std::size_t eights) const {
    to = put_varint(to, eights << 1 | 1);
    for (; eights > 0; first += kPacked) {
      const std::size_t taken = std::min<std::size_t>(eights, kPacked / 8);
      if (first + kPacked <= values_.size() && taken == kPacked / 8) {
        kPackers<std::uint32_t>[width_](&values_[first], to);
      } else {
        std::array<std::uint32_t, kPacked> last{};
        std::array<std::uint8_t, kPacked * sizeof(std::uint32_t)> packed;
        std::copy_n(&values_[first], std::min(8 * taken, values_.size() - first), last.begin());
        kPackers<std::uint32_t>[width_](last.data(), packed.data());
        std::copy_n(packed.begin(), width_ * taken, to);
      }
      to += width_ * taken;
      eights -= taken;
    }
    return to;
  }

  const std::span<const std::uint32_t> values_;
  const unsigned width_;
  const std::size_t worth_;  // so many equal ones take less as a count
};

// Which rows of a page have a value: a bit a row, the lowest first. As levels of Parquet they are the same, but that
// words of one kind are counted.
class ValidRows {
 public:
  explicit ValidRows(std::size_t most) : words_(most / 64 + 1) {}
  std::uint8_t* bits() { return reinterpret_cast<std::uint8_t*>(words_.data()); }

  static std::size_t most_of_levels(std::size_t rows) { return 32 + rows / 4; }

  // With their length before them.
  std::uint8_t* put_levels(std::uint8_t* to, std::size_t rows) const {
    std::uint8_t* const begin = to;
    to += sizeof(std::uint32_t);
    const std::size_t words = (rows + 63) / 64;
    for (std::size_t at = 0; at < words;) {
      const std::size_t first = at;
      const Kind kind = kind_of(at, rows);
      do ++at;
      while (at < words && kind_of(at, rows) == kind);
      const std::size_t count = std::min(rows, 64 * at) - 64 * first;
      if (kind == Kind::some) {
        to = put_varint(to, (count + 7) / 8 << 1 | 1);
        std::memcpy(to, &words_[first], (count + 7) / 8);
        if (count % 8) to[count / 8] &= static_cast<std::uint8_t>((1 << count % 8) - 1);
        to += (count + 7) / 8;
      } else {
        to = put_varint(to, count << 1);
        *to++ = kind == Kind::all;
      }
    }
    const auto length = static_cast<std::uint32_t>(to - begin - sizeof(std::uint32_t));
    std::memcpy(begin, &length, sizeof length);
    return to;
  }

  // The values of such rows alone. REQUIRES: room for one more. Returns the end.
  template <class T, class Stored>
  Stored* copy_values(const T* from, std::size_t rows, Stored* to) const {
    for (std::size_t first = 0; first < rows; first += 64, from += 64) {
      const std::size_t count = std::min<std::size_t>(64, rows - first);
      switch (kind_of(first / 64, rows)) {
        case Kind::all: to = std::copy_n(from, count, to); break;
        case Kind::none: break;
        case Kind::some:
          for (std::size_t i = 0; i < count; ++i) {
            *to = static_cast<Stored>(from[i]);
            to += words_[first / 64] >> i & 1;
          }
      }
    }
    return to;
  }

 private:
  enum class Kind : std::uint8_t { none, some, all };
  Kind kind_of(std::size_t word, std::size_t rows) const {
    const std::size_t left = rows - 64 * word;
    const std::uint64_t mask = left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
    const std::uint64_t valid = words_[word] & mask;
    return valid == mask ? Kind::all : valid ? Kind::some : Kind::none;
  }

  std::vector<std::uint64_t> words_;
};

// Numbers of the values of a row group, in the order in which they come first.
template <std::unsigned_integral T>
class NumberDictionary {
 public:
  std::uint32_t number_of(T value) {
    if (value < small_.size() && small_[value] > 0) return small_[value] - 1;
    return seek(value);
  }

  const std::vector<T>& values() const { return values_; }
  void clear() {
    for (const T value : values_) {
      if (value < kSmall) small_[value] = 0;
    }
    if (large_ > 0) slots_.clear();
    large_ = 0;
    values_.clear();
  }

 private:
  static constexpr T kSmall = 1 << 16;

  std::uint32_t seek(T value) {
    if (value < kSmall) {
      small_.resize(kSmall);
      return (small_[value] = add(value)) - 1;
    }
    if (4 * large_ >= 3 * slots_.size()) grow();
    std::uint32_t& place = slots_[slot_of(value)];
    if (place == 0) place = add(value), ++large_;
    return place - 1;
  }
  std::uint32_t add(T value) {
    values_.push_back(value);
    return static_cast<std::uint32_t>(values_.size());
  }
  std::size_t slot_of(T value) const {
    std::size_t at = hash_bytes(&value, sizeof value, seed_) & (slots_.size() - 1);
    while (slots_[at] != 0 && values_[slots_[at] - 1] != value) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i] >= kSmall) slots_[slot_of(values_[i])] = static_cast<std::uint32_t>(i + 1);
    }
  }

  const HashSeed& seed_ = process_seed();
  // Numbers plus 1; 0: the value has none. Of small values by the value, of others by their hash.
  std::vector<std::uint32_t> small_, slots_;
  std::size_t large_ = 0;
  std::vector<T> values_;
};

inline constexpr std::int64_t kRowsOfPage = 1 << 14;

// What a page is made in, shared by all columns that a thread makes, so that it stays in the core's cache.
struct PageRoom {
  using Numbers = std::array<std::byte, (kRowsOfPage + 1) * sizeof(std::uint64_t)>;

  template <class T>
  static T* of(Numbers& room) {
    return reinterpret_cast<T*>(room.data());
  }

  ValidRows valid{kRowsOfPage};
  // Of any type: with what stands for null, and without.
  alignas(std::uint64_t) Numbers rows, values;
  std::array<std::uint32_t, kRowsOfPage> numbers;  // in a dictionary
};

inline PageRoom& page_room() {
  thread_local const auto room = std::make_unique<PageRoom>();
  return *room;
}

}  // namespace warpmeter::inline record
