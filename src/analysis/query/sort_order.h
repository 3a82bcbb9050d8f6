// By which field flows are sorted, and in which direction.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "analysis/query/field.h"

namespace warpmeter::inline analysis {

// Made so that comparing the words compares the flows. What has no value comes last in either direction.
struct SortKey {
  std::array<std::uint64_t, 3> words = {};

  static SortKey of_nothing();
  static SortKey of_whole(std::int64_t value, bool descending);
  static SortKey of_share(double value, bool descending);  // REQUIRES: not negative
  static SortKey of_address(std::uint8_t version, const std::uint8_t (&address)[16], bool descending);

  friend std::strong_ordering operator<=>(const SortKey&, const SortKey&) = default;
};

inline constexpr const char* kSortOption = "--sort";

// "NAME", "NAME:asc" or "NAME:desc" taken apart.
struct SortWord {
  std::string name, option;
  bool descending = true;

  // `option` is the one that errors name. Throws Error (usage) if there is another direction. Counts descend unless
  // said otherwise, the rest ascends.
  explicit SortWord(const std::string& text, std::string option = kSortOption);
};

class SortOrder {
 public:
  // Throws Error (usage) if there is no such column.
  explicit SortOrder(const std::string& text, const std::string& option = kSortOption);

  SortKey key(const Biflow& flow) const;

 private:
  Field field_;
  bool descending_;
};

}  // namespace warpmeter::inline analysis
