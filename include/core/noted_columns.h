// What files of Flow Records have beside these: the annotations that `extract --policy` wrote, read back, and the
// columns of annexes.
//
// A file with a column `labels` has them: that column, a list, and each column of text whose name is none of this
// program's own, such as tls_sni; at most kMost. In files without `labels`, columns of other names mean nothing here.
// Readers number these columns as they find them; whoever reads several files gives names numbers that fit together
// (AnnotationNames): the same in all files, filters and outputs of a process. Names stay known; there are at most
// kMostNames.
//
// Texts become what annotations are: printable ASCII but commas, quotes and backslashes; any other byte is \xNN, and a
// backslash stays where it begins that. Those of a list have no semicolons, which part them. Too many labels and what
// is longer than policies make it is cut off.
//
// Threads: one; AnnotationNames: any, at once.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/annotations.h"
#include "core/extra_column.h"
#include "warpmeter/columns.h"
#include "warpmeter/time_form.h"

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
// destination, and the annex is its own.
class OtherDirection {
 public:
  // Valid until it is asked again, and as long as `noted`.
  const Annotations& of(const Annotations& noted) {
    const auto is_of_an_end = [&](const Annotation& one) { return turned(one.column) != one.column; };
    if (!noted.has_annex() && std::ranges::none_of(noted.all(), is_of_an_end)) return noted;
    turned_.clear();
    for (const Annotation& one : noted.all()) turned_.add({one.packet, turned(one.column), one.text});
    if (const Annex* const annex = noted.annex(true)) turned_.add_annex(false, *annex);
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

// Adds the columns of annotations and annexes that `columns` does not have yet.
inline void add_annotation_columns(ExtraColumns& columns, const ExtraColumns& more) {
  for (const auto& column : more) {
    if (!column->annotation() && !column->annex()) continue;
    const auto is_it = [&](const auto& other) {
      return other->annotation() == column->annotation() && other->annex() == column->annex() &&
             other->is_reverse() == column->is_reverse();
    };
    if (std::ranges::none_of(columns, is_it)) columns.push_back(column);
  }
}

// What the first packet of a flow, or its SYN, tells (annex.h).
class AnnexColumn : public ExtraColumn {
 public:
  AnnexColumn(AnnexField field, bool reverse)
      : ExtraColumn({.name = name_of(field, reverse),
                     .most = std::max<std::size_t>(facts_of(field).text, 20),
                     .nullable = true,
                     .number = facts_of(field).text ? Number::none : Number::count,
                     .annex = field,
                     .reverse = reverse}) {}
  char* write(char* to, const FlowRecord&) const override { return to; }

  static std::string name_of(AnnexField field, bool reverse) {
    return std::string(reverse ? kReversePrefix : "").append(facts_of(field).name);
  }
};

// Of these fields, and of those of a biflow's other direction.
inline ExtraColumns annex_columns(std::uint32_t fields, std::uint32_t of_reverse) {
  ExtraColumns columns;
  for (const bool reverse : {false, true}) {
    for (std::size_t i = 0; i < kAnnexFields; ++i) {
      if ((reverse ? of_reverse : fields) >> i & 1)
        columns.push_back(std::make_shared<AnnexColumn>(static_cast<AnnexField>(i), reverse));
    }
  }
  return columns;
}

// Does this program itself have a column of that name, in the key, counted, or computed?
inline bool is_own_column(std::string_view name) {
  constexpr std::string_view kComputed[] = {"community_id", "interface", "direction", "handshake_ns", "handshake_us"};
  if (std::ranges::find(kComputed, name) != std::end(kComputed) || is_geo_column(name)) return true;
  if (name.starts_with(kReversePrefix)) name.remove_prefix(kReversePrefix.size());
  for (const TimeForm form : {TimeForm::ns, TimeForm::us, TimeForm::iso}) {
    const TimeNames names = time_names(form);
    if (name == names.start || name == names.end || name == names.connection || name == names.duration) return true;
  }
  return annex_field(name) || name == kVlanColumn || name == kFirstPacketColumn ||
         column_number(name) != kColumns.size() || std::ranges::find(kKeyColumns, name) != std::end(kKeyColumns);
}

namespace noted_columns_detail {

inline bool begins_escape(std::string_view text) {
  const auto is_hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
  return text.size() >= 4 && text[1] == 'x' && is_hex(text[2]) && is_hex(text[3]);
}

inline bool is_plain(char c) {
  return c >= ' ' && c <= '~' && std::string_view(",\"\\").find(c) == std::string_view::npos;
}

}  // namespace noted_columns_detail

class NotedColumns {
 public:
  static constexpr std::size_t kMost = 64;  // of a file
  static constexpr std::size_t kLongestName = 255;
  static constexpr std::size_t kMostLabels = kMostKept;  // of a flow; of these kMostTexts are kept
  static constexpr std::size_t kLongest = 4 * 255;       // characters of a text: 255 bytes of payload, all escaped

  // The number of the column; nothing if it is none, or there are too many.
  std::optional<std::uint32_t> add(std::string_view name) {
    const auto found = std::ranges::find(columns_, name, [](const auto& column) { return column->name(); });
    const auto number = static_cast<std::uint32_t>(found - columns_.begin());
    if (found != columns_.end()) return number;
    const bool fits = !name.empty() && name.size() <= kLongestName && as_text(name) == name;
    if (!fits || is_own_column(name)) return std::nullopt;
    left_out_ = left_out_ || columns_.size() == kMost;
    if (columns_.size() == kMost) return std::nullopt;
    columns_.push_back(std::make_shared<AnnotationColumn>(std::string(name), number, name == kLabelsName));
    return number;
  }
  const ExtraColumns& columns() const { return columns_; }
  bool left_out() const { return left_out_; }  // there are too many

  // As it is written.
  static std::string as_text(std::string_view bytes) {
    constexpr char kHex[] = "0123456789abcdef";
    constexpr std::size_t kEscape = 4;
    std::string text;
    for (std::size_t i = 0; i < bytes.size();) {
      const char c = bytes[i];
      const bool is_plain = noted_columns_detail::is_plain(c);
      if (text.size() + (is_plain ? 1 : kEscape) > kLongest) break;
      const bool is_escape = c == '\\' && noted_columns_detail::begins_escape(bytes.substr(i));
      const auto byte = static_cast<unsigned char>(c);
      if (is_plain) text += c;
      else if (is_escape) text += bytes.substr(i, kEscape);
      else (((text += "\\x") += kHex[byte >> 4]) += kHex[byte & 15]);
      i += is_escape ? kEscape : 1;
    }
    return text;
  }

  // Adds a value of the column; of the list, one or several with semicolons between. Empty ones are none.
  void note(Annotations& to, std::uint32_t number, std::string_view value) const {
    if (!columns_[number]->is_list()) {
      if (!value.empty()) to.add({0, number, as_text(value)});
      return;
    }
    auto labels = static_cast<std::size_t>(std::ranges::count(to.all(), number, &Annotation::column));
    while (!value.empty() && labels < kMostLabels) {
      const std::size_t end = std::min(value.find(';'), value.size());
      if (end > 0) {
        to.add({0, number, as_text(value.substr(0, end))});
        ++labels;
      }
      value.remove_prefix(std::min(end + 1, value.size()));
    }
  }

 private:
  ExtraColumns columns_;
  bool left_out_ = false;
};

}  // namespace warpmeter
