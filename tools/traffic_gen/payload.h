// What the segments carry: one endless stream of readable bytes, the same in every connection, so that a segment sent
// again carries the same bytes again. Internet checksums of any piece come from a table, not from reading the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace traffic_gen {

class Payload {
 public:
  Payload();

  // Bytes offset .. offset+length-1 of the stream; length up to kLongest.
  void copy(uint8_t* out, uint64_t offset, size_t length) const;

  // Their sum as big-endian 16-bit words, an odd last byte filled up with zero; not folded.
  uint64_t sum(uint64_t offset, size_t length) const;

  static constexpr size_t kPeriod = 4096;
  static constexpr size_t kLongest = 16 << 10;

 private:
  std::array<uint8_t, kPeriod + kLongest> bytes_;
  std::array<std::array<uint32_t, kPeriod + 1>, 2> before_;  // [parity of the start][end]: sum of bytes_[0, end)
};

}  // namespace traffic_gen
