// The columns of annotations that files bring: each name has a number, the same in all files, filters and outputs of a
// process, so that what was read from several files fits together. Names stay known; there are at most kMostNames.
//
// Threads: any, at once.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/annotations.h"
#include "core/extra_column.h"

namespace warpmeter {

inline constexpr std::string_view kLabelsName = "labels";  // the one that is a list

class AnnotationNames {
 public:
  static AnnotationNames& of_process() {
    static AnnotationNames names;
    return names;
  }

  // Nothing if there are too many.
  std::optional<std::uint32_t> number(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
    if (names_.size() == kMostNames) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(names_.size());
    numbers_.emplace(names_.emplace_back(name), number);
    return number;
  }
  // Valid for ever. REQUIRES: number() gave it.
  const std::string& name(std::uint32_t number) const {
    const std::lock_guard lock(mutex_);
    return names_[number];
  }

 private:
  static constexpr std::size_t kMostNames = 1 << 16;

  mutable std::mutex mutex_;
  std::deque<std::string> names_;  // which stay where they are
  std::map<std::string_view, std::uint32_t> numbers_;
};

// What --geo tells of addresses. Columns have a name of each for both ends (source_country, destination_country, ...);
// host_country is either end, in filters and sums.
inline constexpr std::string_view kGeoFacts[] = {"country", "city", "asn", "as_org"};
inline constexpr std::string_view kGeoSource = "source_", kGeoDestination = "destination_", kGeoEither = "host_";

// "country", where that is the end's name of it; "" for other names.
inline std::string_view geo_fact(std::string_view name, std::string_view end) {
  if (!name.starts_with(end)) return {};
  const auto* const fact = std::ranges::find(kGeoFacts, name.substr(end.size()));
  return fact == std::end(kGeoFacts) ? std::string_view() : *fact;
}

inline bool is_geo_column(std::string_view name) {
  return !geo_fact(name, kGeoSource).empty() || !geo_fact(name, kGeoDestination).empty();
}

// The numbers of the columns of one end, in the order of kGeoFacts; nothing where there are too many names.
inline std::array<std::optional<std::uint32_t>, std::size(kGeoFacts)> geo_numbers(std::string_view end) {
  std::array<std::optional<std::uint32_t>, std::size(kGeoFacts)> numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = AnnotationNames::of_process().number(std::string(end).append(kGeoFacts[i]));
  return numbers;
}

// What is noted of a biflow, as its other direction has it: there, what is known of the source is known of the
// destination.
class OtherDirection {
 public:
  // Valid until it is asked again, and as long as `noted`.
  const Annotations& of(const Annotations& noted) {
    const auto is_of_an_end = [&](const Annotation& one) { return turned(one.column) != one.column; };
    if (std::ranges::none_of(noted.all(), is_of_an_end)) return noted;
    turned_.clear();
    for (const Annotation& one : noted.all()) turned_.add({one.packet, turned(one.column), one.text});
    return turned_;
  }

 private:
  std::uint32_t turned(std::uint32_t column) const {
    for (std::size_t i = 0; i < source_.size(); ++i) {
      if (!source_[i] || !destination_[i]) continue;
      if (column == *source_[i]) return *destination_[i];
      if (column == *destination_[i]) return *source_[i];
    }
    return column;
  }

  const std::array<std::optional<std::uint32_t>, std::size(kGeoFacts)> source_ = geo_numbers(kGeoSource);
  const std::array<std::optional<std::uint32_t>, std::size(kGeoFacts)> destination_ = geo_numbers(kGeoDestination);
  Annotations turned_;
};

// Adds the columns of annotations that `columns` does not have yet.
inline void add_annotation_columns(ExtraColumns& columns, const ExtraColumns& more) {
  for (const auto& column : more) {
    if (!column->annotation()) continue;
    const auto is_it = [&](const auto& other) { return other->annotation() == column->annotation(); };
    if (std::ranges::none_of(columns, is_it)) columns.push_back(column);
  }
}

}  // namespace warpmeter
