// The columns of annotations that files bring: each name has a number, the same in all files, filters and outputs of a
// process, so that what was read from several files fits together. Names stay known; there are at most kMostNames.
//
// Threads: any, at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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

// Adds the columns of annotations that `columns` does not have yet.
inline void add_annotation_columns(ExtraColumns& columns, const ExtraColumns& more) {
  for (const auto& column : more) {
    if (!column->annotation()) continue;
    const auto is_it = [&](const auto& other) { return other->annotation() == column->annotation(); };
    if (std::ranges::none_of(columns, is_it)) columns.push_back(column);
  }
}

}  // namespace warpmeter
