// Arrow arrays as a program of the same process may give them, made of the bytes of an input: columns of any type, and
// what contradicts itself. Their buffers are exactly as long as the layout says, so that AddressSanitizer sees what
// reads beyond them, and what gave them counts what was released.
#pragma once

#include <array>
#include <climits>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "fuzz/input_bytes.h"
#include "warpmeter/arrow_c_data.h"

namespace warpmeter::fuzz {

inline constexpr const char* kArrowNames[] = {"src_addr",       "dst_addr",         "src_port",      "dst_port",
                                              "protocol",       "start_ns",         "end_ns",        "packets",
                                              "bytes",          "tcp_flags",        "end_reason",    "vlan_id",
                                              "connection_ns",  "connection_bytes", "start_us",      "reverse_start_ns",
                                              "reverse_end_ns", "start_time",       "reverse_bytes", "other",
                                              nullptr};
inline constexpr std::size_t kKeyNames = 7;
inline constexpr const char* kArrowFormats[] = {"u", "S",     "C", "tsn:UTC", "L", "l",    "g",    "U",      "vu",
                                                "n", "c",     "s", "i",       "I", "tss:", "tDm",  "tsu",    "ts",
                                                "",  nullptr, "f", "+l",      "b", "z",    "tdD?", "tsm:a b"};

// One column of one batch, with all that its array points to.
class GivenColumn {
 public:
  // Of a batch that has `rows`, those before its offset included. `format`: of what it has in place of values where
  // there is a dictionary.
  GivenColumn(InputBytes& in, const char* format, const char* of_dictionary, std::int64_t rows) {
    const std::uint8_t how = in.u8();
    offset_ = how & 1 ? in.u8() % 5 : 0;
    rows_ = rows;
    format_ = format ? format : "";
    if (of_dictionary) dictionary_ = std::make_unique<GivenColumn>(in, of_dictionary, nullptr, 1 + in.u8() % 4);
    fill(in);
    array_ = {rows,
              how & 2 ? -1 : 0,
              offset_,
              static_cast<std::int64_t>(buffers_.size()),
              0,
              buffers_.data(),
              nullptr,
              dictionary_ ? &dictionary_->array_ : nullptr,
              [](ArrowArray* array) { array->release = nullptr; },
              nullptr};
    if (how >> 5 == 7) contradict(in.u8(), dictionary_ != nullptr);
  }

  ArrowArray* array() { return &array_; }

 private:
  using Bytes = std::unique_ptr<std::uint8_t[]>;

  std::uint8_t* memory(std::size_t bytes) {
    memory_.push_back(Bytes(new std::uint8_t[bytes]()));
    buffers_.push_back(memory_.back().get());
    return memory_.back().get();
  }

  std::size_t width() const {
    if (format_.starts_with("ts") || format_.starts_with("tD")) return 8;
    if (format_ == "vu") return 16;
    if (format_.empty()) return 0;
    switch (format_.front()) {
      case 'c':
      case 'C': return 1;
      case 's':
      case 'S': return 2;
      case 'l':
      case 'L':
      case 'g':
      case 'U': return 8;
      default: return 4;
    }
  }

  void fill(InputBytes& in) {
    if (format_ == "n") return;
    const auto places = static_cast<std::size_t>(offset_ + rows_);
    const bool has_nulls = in.u8() & 1;
    if (has_nulls) {
      std::uint8_t* const bits = memory((places + 7) / 8);
      for (std::size_t i = 0; i < (places + 7) / 8; ++i) bits[i] = static_cast<std::uint8_t>(~in.u8());
    } else {
      buffers_.push_back(nullptr);
    }
    if (format_ == "u") return fill_texts<std::int32_t>(in, places);
    if (format_ == "U") return fill_texts<std::int64_t>(in, places);
    if (format_ == "vu") return fill_views(in, places);
    std::uint8_t* const values = memory(width() * places);
    for (std::size_t i = 0; i < places; ++i) fill_number(in, values + width() * i);
  }

  void fill_number(InputBytes& in, std::uint8_t* at) {
    const std::uint8_t first = in.u8();
    if (first == 0xff) {  // all of its bytes
      for (std::size_t i = 0; i < width(); ++i) at[i] = in.u8();
    } else if (format_ == "g") {
      const double number = first;
      std::memcpy(at, &number, sizeof number);
    } else {
      at[0] = first;
    }
  }

  // Texts of eight letters, one behind the other; where an offset is odd, it leads nowhere, or to no text at all.
  template <class Offset>
  void fill_texts(InputBytes& in, std::size_t places) {
    static constexpr std::array<std::int64_t, 6> kOdd = {-1, 0, 70'000, INT32_MAX, INT32_MIN, INT64_MAX};
    auto* const offsets = reinterpret_cast<Offset*>(memory(sizeof(Offset) * (places + 1)));
    for (std::size_t i = 0; i <= places; ++i) {
      const std::uint8_t how = in.u8();
      offsets[i] = static_cast<Offset>(how < 0xf0 ? static_cast<std::int64_t>(8 * i) : kOdd[how % kOdd.size()]);
    }
    char* const texts = reinterpret_cast<char*>(memory(8 * (places + 1)));
    for (std::size_t i = 0; i < places + 1; ++i) write_text(in, texts + 8 * i);
  }

  static void write_text(InputBytes& in, char* at) {
    static constexpr std::string_view kTexts[] = {"10.0.0.1", "10.0.0.2", "2001:1::",   "::1.2.34",
                                                  "80000000", "17000000", "x\n\"quote", "10.0.0.0"};
    const std::uint8_t which = in.u8();
    const std::string given = which & 0x80 ? in.text(8) : std::string(kTexts[which % std::size(kTexts)]);
    std::copy(given.begin(), given.end(), at);
  }

  // Short ones in place, long ones in one of two buffers behind them.
  void fill_views(InputBytes& in, std::size_t places) {
    constexpr std::int64_t kBehind = 32;
    std::uint8_t* const views = memory(16 * places);
    const std::size_t first = buffers_.size();
    for (int i = 0; i < 2; ++i) {
      char* const text = reinterpret_cast<char*>(memory(kBehind));
      for (int j = 0; j < kBehind / 8; ++j) write_text(in, text + 8 * j);
    }
    auto* const lengths = reinterpret_cast<std::int64_t*>(memory(2 * sizeof(std::int64_t)));
    lengths[0] = lengths[1] = kBehind;
    if (in.u8() & 1) buffers_[first + 1] = nullptr;
    for (std::size_t i = 0; i < places; ++i) {
      std::int32_t view[4] = {};
      const std::uint8_t how = in.u8();
      view[0] = how < 0xf0 ? 8 : how < 0xf8 ? 13 + (how & 3) * 8 : how & 1 ? -1 : INT32_MAX;
      write_text(in, reinterpret_cast<char*>(view + 1));
      if (how >= 0xf0) view[2] = static_cast<std::int8_t>(in.u8()), view[3] = static_cast<std::int8_t>(in.u8());
      std::memcpy(views + 16 * i, view, sizeof view);
    }
  }

  void contradict(std::uint8_t how, bool has_dictionary) {
    switch (how % 12) {
      case 0: array_.length = -1; break;
      case 1: array_.length = 0; break;
      case 2: array_.offset = -1; break;
      case 3: array_.offset = INT64_MAX; break;  // with its rows beyond all numbers
      case 4: array_.n_buffers = 0; break;
      case 5: array_.n_buffers = 2; break;
      case 6: array_.buffers = nullptr; break;
      case 7:
        if (buffers_.size() > 1) buffers_[1] = nullptr;
        break;
      case 8:
        if (buffers_.size() > 2) buffers_[2] = nullptr;
        break;
      case 9:
        if (format_ == "vu") buffers_.back() = nullptr;
        break;
      case 10: array_.dictionary = nullptr; break;
      default:
        if (!has_dictionary) array_.n_buffers = -1;
        else dictionary_->array_.length = how & 16 ? -1 : 0;
    }
  }

  std::int64_t offset_ = 0, rows_ = 0;
  std::string_view format_;
  std::vector<Bytes> memory_;
  std::vector<const void*> buffers_;
  std::unique_ptr<GivenColumn> dictionary_;
  ArrowArray array_{};
};

}  // namespace warpmeter::fuzz
