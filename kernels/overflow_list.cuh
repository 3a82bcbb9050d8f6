// The segments of a batch that the CPU has to meter, in no order: of keys that found no room, and of flows that it took
// over. They are few, if any.
#pragma once

#include <cstdint>

#include "atomic.cuh"

namespace warpmeter {

// Its position in the batch, and whether it is a duplicate.
class OverflowSegment {
 public:
  OverflowSegment() = default;
  // REQUIRES: position < 2^31, as that of all batches.
  WARPMETER_HD OverflowSegment(std::uint32_t position, bool is_duplicate) : bits_(position << 1 | is_duplicate) {}
  WARPMETER_HD std::uint32_t position() const { return bits_ >> 1; }
  WARPMETER_HD bool is_duplicate() const { return bits_ & 1; }
  bool operator<(OverflowSegment other) const { return bits_ < other.bits_; }  // by position

 private:
  std::uint32_t bits_;
};

struct OverflowList {
  OverflowSegment* segment;  // room for the whole batch
  std::uint32_t* count;

  WARPMETER_HD void add(std::uint32_t position, bool is_duplicate) const {
    segment[fetch_add(count, 1)] = OverflowSegment(position, is_duplicate);
  }
};

}  // namespace warpmeter
