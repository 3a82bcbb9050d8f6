// Puts numbers in network byte order, and octets as they are, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpmeter::inline record {

class Octets {
 public:
  // Behind what is there. `to` must outlive it.
  explicit Octets(std::vector<std::uint8_t>& to) : to_(to) {}

  // The lowest `size` octets of it.
  Octets& number(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) to_.push_back(static_cast<std::uint8_t>(value >> shift));
    return *this;
  }
  Octets& zeros(std::size_t count) {
    to_.resize(to_.size() + count);
    return *this;
  }
  Octets& copy(const std::uint8_t* from, std::size_t count) {
    to_.insert(to_.end(), from, from + count);
    return *this;
  }

 private:
  std::vector<std::uint8_t>& to_;
};

}  // namespace warpmeter::inline record
