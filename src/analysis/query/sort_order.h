// By which field flows are sorted, and in which direction; and flows in that order.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/query/field.h"
#include "core/extra_column.h"
#include "core/record_reader.h"

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
  bool by_text() const { return field_.type() == FieldType::text || field_.type() == FieldType::texts; }
  int compare_texts(const Annotations& a, const Annotations& b) const;

 private:
  Field field_;
  bool descending_;
};

// Flows in memory, to be given back sorted: all of them, or those that come first.
//
// Where a sort key does not decide, output order does, and at last the order in which they were added: numbers of first
// packets are those of a trace, and flows may come from several.
// Memory: about 260 bytes a flow kept, as much again for a reverse direction, and
// what is noted of it. One thread.
class FlowSorter {
 public:
  // Without an order, that of the output; `most` = 0 keeps all.
  explicit FlowSorter(std::optional<SortOrder> order, std::size_t most = 0) : order_(order), most_(most) {}

  void add(const Biflow& flow, const Annotations& noted = kNoAnnotations);

  // Once, after the last add().
  using Take = std::function<void(const Biflow&, const Annotations&)>;
  void for_each_sorted(const Take& take);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    SortKey key;
    std::uint64_t number = 0;  // in the order of add()
    std::uint32_t forward = 0;
    std::uint32_t reverse = kNone;  // a place in reverse_
    std::uint32_t noted = kNone;    // in noted_
    bool has_reverse = false;       // it is in use
  };
  bool before(const Entry& entry, const FlowRecord& record, const Annotations& noted, const Entry& other) const;
  bool before(const Entry& a, const Entry& b) const { return before(a, forward_[a.forward], noted_of(a), b); }
  const Annotations& noted_of(const Entry& entry) const {
    return entry.noted == kNone ? kNoAnnotations : noted_[entry.noted];
  }
  void store(const Biflow& flow, const Annotations& noted, Entry& entry);

  const std::optional<SortOrder> order_;
  const std::size_t most_;
  std::uint64_t added_ = 0;
  std::vector<Entry> entries_;  // with `most`, a heap with the last one in front
  std::deque<FlowRecord> forward_, reverse_;
  std::deque<Annotations> noted_;  // of flows that have some
};

}  // namespace warpmeter::inline analysis
