// A pcap file in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traffic_shape.h"

namespace reference {

class PcapWriter {
 public:
  explicit PcapWriter(const TrafficShape& shape) : big_endian_(shape.big_endian), unit_(shape.nanoseconds ? 1 : 1000) {
    number(shape.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4);
    number(2, 2);
    number(4, 2);
    number(0, 4);
    number(0, 4);
    number(262144, 4);
    number(shape.link, 4);
  }

  // The time that can be written of a time.
  int64_t written(int64_t time) const { return time / unit_ * unit_; }

  void frame(int64_t time, std::span<const uint8_t> captured, uint32_t original) {
    last_record_ = file_.size();
    number(static_cast<uint64_t>(time / second), 4);
    number(static_cast<uint64_t>(time % second / unit_), 4);
    number(captured.size(), 4);
    number(original, 4);
    file_.insert(file_.end(), captured.begin(), captured.end());
  }

  const std::vector<uint8_t>& file() const { return file_; }
  size_t last_record() const { return last_record_; }  // its offset

 private:
  static constexpr int64_t second = 1'000'000'000;

  void number(uint64_t value, int count) {
    for (int i = 0; i < count; ++i)
      file_.push_back(static_cast<uint8_t>(value >> 8 * (big_endian_ ? count - 1 - i : i)));
  }

  bool big_endian_;
  int64_t unit_;
  std::vector<uint8_t> file_;
  size_t last_record_ = 24;
};

}  // namespace reference
