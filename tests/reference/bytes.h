// The captured bytes of one frame, read only through bounds checks: a decoder that walks off the end of what was
// captured says "cut short" by itself, so no decoder needs a length test of its own. Numbers are big-endian but for
// those that say otherwise.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace reference {

enum class Ignored { not_ip, cut_short, bad_version, bad_header_length, bad_length, not_sampled };

// Thrown by every decoder for a frame that is not metered.
struct IgnoredFrame {
  Ignored reason;
};

class Bytes {
 public:
  explicit Bytes(std::span<const uint8_t> data) : data_(data) {}

  int64_t size() const { return static_cast<int64_t>(data_.size()); }

  std::span<const uint8_t> slice(int64_t at, int64_t count) const {
    need(at, count);
    return data_.subspan(static_cast<size_t>(at), static_cast<size_t>(count));
  }

  void need(int64_t at, int64_t count) const {
    if (at + count > size()) throw IgnoredFrame{Ignored::cut_short};
  }

  uint8_t u8(int64_t at) const { return slice(at, 1)[0]; }
  uint16_t u16(int64_t at) const { return static_cast<uint16_t>(number(at, 2)); }
  uint32_t u32(int64_t at) const { return number(at, 4); }
  uint16_t little_u16(int64_t at) const { return static_cast<uint16_t>(little_number(at, 2)); }
  uint32_t little_u32(int64_t at) const { return little_number(at, 4); }

  // False where fewer bytes were captured than the pattern has.
  bool matches(int64_t at, std::initializer_list<uint8_t> pattern) const {
    if (at + static_cast<int64_t>(pattern.size()) > size()) return false;
    for (uint8_t wanted : pattern)
      if (u8(at++) != wanted) return false;
    return true;
  }

 private:
  uint32_t number(int64_t at, int64_t count) const {
    uint32_t value = 0;
    for (uint8_t byte : slice(at, count)) value = value << 8 | byte;
    return value;
  }
  uint32_t little_number(int64_t at, int64_t count) const {
    uint32_t value = 0;
    int place = 0;
    for (uint8_t byte : slice(at, count)) value |= uint32_t{byte} << 8 * place++;
    return value;
  }

  std::span<const uint8_t> data_;
};

}  // namespace reference
