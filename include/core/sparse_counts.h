// Counters by numbers of which most never come: exact, whatever the order of counting and adding, and of bounded size
// as far as the numbers are bounded. All 65,536 of 16 bits take half a megabyte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace warpmeter {

class SparseCounts {
 public:
  void add(std::uint32_t number, std::uint64_t count = 1) { pages_[number / kPage][number % kPage] += count; }

  void add(const SparseCounts& other) {
    for (const auto& [page, counts] : other.pages_) {
      Page& to = pages_[page];
      for (std::size_t i = 0; i < kPage; ++i) to[i] += counts[i];
    }
  }

  // Calls see(number, count) for all that came, in the order of numbers.
  template <class See>
  void for_each(See see) const {
    for (const auto& [page, counts] : pages_) {
      for (std::uint32_t i = 0; i < kPage; ++i) {
        if (counts[i]) see(page * kPage + i, counts[i]);
      }
    }
  }

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for_each([&sum](std::uint32_t, std::uint64_t count) { sum += count; });
    return sum;
  }

 private:
  static constexpr std::uint32_t kPage = 64;
  using Page = std::array<std::uint64_t, kPage>;

  std::map<std::uint32_t, Page> pages_;
};

}  // namespace warpmeter
