// A column that a run has because its options ask for it, behind those that every Flow Record has
// (warpmeter/columns.h): all that formats need to know of it. CSV, JSON, Parquet and Arrow write any; NetFlow leaves it
// out, and so does IPFIX what it has no element for. The value follows from the Flow Record, or was noted.
//
// A column is a value made from options, and there may be any number of them: src/record/columns makes them.
//
// Threads: any, at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/annotations.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/time_form.h"

namespace warpmeter {

class ExtraColumn {
 public:
  // What a value is: text, or a whole number, from 0 on (count) or any (span, a time).
  enum class Number : std::uint8_t { none, count, span };
  struct Facts {
    std::string name;       // plain, as those of columns.h
    std::size_t most;       // bytes that a value takes at most
    bool nullable = false;  // some Flow Records have no value
    bool repeats = true;    // Flow Records often have the same value: worth a dictionary
    bool list = false;      // of texts, perhaps of none
    Number number = Number::none;
    std::optional<std::uint32_t> annotation = {};  // the value is what is noted of the flow under this number
    std::optional<AnnexField> annex = {};          // the value is in the annex of the flow,
    bool reverse = false;                          // or of the other direction
  };

  explicit ExtraColumn(Facts facts) : facts_(std::move(facts)) {}
  ExtraColumn(const ExtraColumn&) = delete;
  ExtraColumn& operator=(const ExtraColumn&) = delete;
  virtual ~ExtraColumn() = default;

  std::string_view name() const { return facts_.name; }
  std::size_t most() const { return facts_.most; }
  bool nullable() const { return facts_.nullable; }
  bool repeats() const { return facts_.repeats; }
  bool is_list() const { return facts_.list; }
  Number number_kind() const { return facts_.number; }
  bool is_number() const { return facts_.number != Number::none; }
  std::optional<std::uint32_t> annotation() const { return facts_.annotation; }
  std::optional<AnnexField> annex() const { return facts_.annex; }
  bool is_reverse() const { return facts_.reverse; }

  // Writes the value, at most most() bytes of printable ASCII that neither CSV nor JSON has to quote; returns its end.
  // Nothing is written where there is no value. Of a biflow, `record` is the forward direction.
  // REQUIRES: !annotation(), !is_number().
  virtual char* write(char* to, const FlowRecord& record) const = 0;

  // The value of a number; nothing where there is none. `reverse`: null without another direction.
  // REQUIRES: is_number().
  virtual std::optional<std::int64_t> number(const FlowRecord& record, const FlowRecord* reverse) const {
    static_cast<void>(record), static_cast<void>(reverse);
    return std::nullopt;
  }

  // Both, of a Flow Record of which that is noted.
  char* write(char* to, const FlowRecord& record, const Annotations& noted) const {
    if (!facts_.annex) return write(to, record);
    const Annex* const annex = noted.annex(facts_.reverse);
    return annex ? annex->write(to, *facts_.annex) : to;
  }
  std::optional<std::int64_t> number(const FlowRecord& record, const FlowRecord* reverse,
                                     const Annotations& noted) const {
    if (!facts_.annex) return number(record, reverse);
    const Annex* const annex = noted.annex(facts_.reverse);
    return annex ? annex->number(*facts_.annex) : std::nullopt;
  }

  // This column for times of that form; null: it has no times, and serves as it is.
  virtual std::shared_ptr<const ExtraColumn> in(TimeForm form) const {
    static_cast<void>(form);
    return nullptr;
  }

 private:
  const Facts facts_;
};

// A number of 64 bits that differs in most Flow Records: no dictionary.
class NumberColumn : public ExtraColumn {
 public:
  NumberColumn(std::string name, Number kind)
      : ExtraColumn({.name = std::move(name), .most = 20, .nullable = true, .repeats = false, .number = kind}) {}
  char* write(char* to, const FlowRecord&) const override { return to; }
};

// What is noted of flows (annotations.h): the first text, or a list of all.
class AnnotationColumn : public ExtraColumn {
 public:
  AnnotationColumn(std::string name, std::uint32_t annotation, bool list)
      : ExtraColumn({.name = std::move(name), .most = 0, .nullable = !list, .list = list, .annotation = annotation}) {}
  char* write(char* to, const FlowRecord&) const override { return to; }
};

// In the order in which they stand.
using ExtraColumns = std::vector<std::shared_ptr<const ExtraColumn>>;

inline bool has_annotations(const ExtraColumns& columns) {
  return std::ranges::any_of(columns,
                             [](const auto& column) { return column->annotation().has_value() || column->annex(); });
}

// The most of any of them, 0 without one.
inline std::size_t longest_value(const ExtraColumns& columns) {
  std::size_t most = 0;
  for (const auto& column : columns) most = std::max(most, column->most());
  return most;
}

}  // namespace warpmeter
