// Numbers and bytes appended in either byte order: what captures and packets are made of in tests.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace warpmeter::test {

using Bytes = std::vector<std::uint8_t>;

class ByteWriter {
 public:
  explicit ByteWriter(std::endian order = std::endian::big) : order_(order) {}

  ByteWriter& u8(std::uint64_t value) { return number(value, 1); }
  ByteWriter& u16(std::uint64_t value) { return number(value, 2); }
  ByteWriter& u32(std::uint64_t value) { return number(value, 4); }
  ByteWriter& u64(std::uint64_t value) { return number(value, 8); }
  ByteWriter& bytes(const Bytes& more) {
    data_.insert(data_.end(), more.begin(), more.end());
    return *this;
  }
  ByteWriter& zeros(std::size_t count) {
    data_.insert(data_.end(), count, 0);
    return *this;
  }
  ByteWriter& pad_to_4() { return zeros((4 - data_.size() % 4) % 4); }

  const Bytes& data() const { return data_; }

 private:
  ByteWriter& number(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned place = order_ == std::endian::big ? size - 1 - i : i;
      data_.push_back(static_cast<std::uint8_t>(value >> 8 * place));
    }
    return *this;
  }

  std::endian order_;
  Bytes data_;
};

inline Bytes operator+(Bytes first, const Bytes& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// Bytes 0, 1, 2, ...: every place looks different.
inline Bytes counting_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  return bytes;
}

}  // namespace warpmeter::test
