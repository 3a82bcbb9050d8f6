// How far behind the place of reading pages are given back, so that the resident size stays flat however large a file.
#pragma once

#include <cstdint>

namespace warpmeter {

class PagesBehind {
 public:
  struct Range {
    std::uint64_t from = 0, until = 0;  // bytes; nothing to drop if equal
  };

  // Reading has come to `offset`, and will not go back further than kKeep: which pages are due?
  Range passed(std::uint64_t offset) {
    if (offset <= dropped_ + kStep + kKeep) return {};
    const Range due{dropped_, (offset - kKeep) / kStep * kStep};
    dropped_ = due.until;
    return due;
  }

 private:
  // Frames of blocks in flight may lie this far behind.
  static constexpr std::uint64_t kKeep = 64 << 20;
  static constexpr std::uint64_t kStep = 64 << 20;
  std::uint64_t dropped_ = 0;  // pages before this offset were given back
};

}  // namespace warpmeter
