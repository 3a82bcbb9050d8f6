// By which field flows are sorted, and in which direction.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/query/field.h"
#include "core/extra_column.h"

namespace warpmeter::inline analysis {

// Made so that comparing the words compares the flows. What has no value comes last in either direction.
struct SortKey {
  std::array<std::uint64_t, 3> words = {};

  static SortKey of_nothing();
  static SortKey of_whole(std::int64_t value, bool descending);
  static SortKey of_share(double value, bool descending);          // REQUIRES: not negative
  static SortKey of_text(std::string_view text, bool descending);  // of 16 characters; empty: of_nothing()
  static SortKey of_address(std::uint8_t version, const std::uint8_t (&address)[16], bool descending);

  friend std::strong_ordering operator<=>(const SortKey&, const SortKey&) = default;
};

inline constexpr const char* kSortOption = "--sort";

// "NAME", "NAME:asc" or "NAME:desc" taken apart.
struct SortWord {
  std::string name, option;
  bool descending = true;
  bool says_direction = false;

  // `option` is the one that errors name. Throws Error (usage) if there is another direction. Counts descend unless
  // said otherwise, the rest ascends.
  explicit SortWord(const std::string& text, std::string option = kSortOption);
};

class SortOrder {
 public:
  // Throws Error (usage) if there is no such column; `others` may be columns of annotations.
  explicit SortOrder(const std::string& text, const std::string& option = kSortOption, const ExtraColumns& others = {});

  SortKey key(const Biflow& flow, const Annotations& noted = kNoAnnotations) const;
  // The keys are texts: those of two flows that have the same key. Negative, zero or positive.
  bool by_text() const { return field_.kind == Field::Kind::annotation; }
  int compare_texts(const Annotations& a, const Annotations& b) const;

 private:
  Field field_;
  bool descending_;
};

}  // namespace warpmeter::inline analysis
