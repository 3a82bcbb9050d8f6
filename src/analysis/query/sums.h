// Flow Records summed by keys. Memory: one row a group, about 600 bytes; for a percentile 8 bytes a flow, for
// distinct values some 60 bytes each. One thread.
//
// The two directions of a biflow count as two flows, each under its own key. A sum takes what is known: it has no value
// only where no flow of the group has one.
//
// A flow that a key spreads over intervals counts in each of them as one flow, and with its share of the time in their
// sums, which are whole numbers that add up to what the flows have. What is asked of single flows is of whole ones.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/query/sort_order.h"
#include "analysis/query/sum_column.h"
#include "analysis/query/sum_key.h"
#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "core/seeded_hash.h"

namespace warpmeter::inline analysis {

class Sums {
 public:
  // `order`: "NAME[:asc|:desc]", a key or a column, as `option` has it; `asked`: columns that will be asked for. Throws
  // Error (usage), which names the option, if there is no such column.
  Sums(std::vector<SumKey> keys, const std::string& order, const std::string& option = kSortOption,
       const std::vector<SumColumn>& asked = {});
  Sums(const Sums&) = delete;  // rows point to the plan
  Sums& operator=(const Sums&) = delete;

  void add(const Biflow& flow, const Annotations& noted = kNoAnnotations);
  // Throws Error if a key would spread it over more intervals than there is room for.
  void add(const FlowRecord& record, const Annotations& noted = kNoAnnotations,
           std::optional<std::int64_t> handshake_ns = {});
  std::size_t groups() const { return rows_.size(); }

  // Once, after the last add(). Those that are wanted (all, if nothing says), sorted; rows that are equal there by
  // their keys. `most` = 0 means all; with `per`, the name of a key, so many of each of its values, which come in their
  // order. Throws Error (usage) if there is no such key.
  std::vector<const SumRow*> sorted(std::size_t most, const std::function<bool(const SumRow&)>& wanted = {},
                                    const std::string& per = {});

 private:
  void add_spread(SumSubject subject);
  void add_labels(SumSubject subject);
  void add_both_ends(SumSubject subject);
  void add_to(const std::string& group, const SumSubject& subject);
  void add_counters(SumRow& row, const SumSubject& subject) const;
  void gather(SumRow& row, const SumSubject& subject) const;
  void settle();
  void round_intervals();
  std::size_t key_named(const std::string& name) const;
  std::string_view part_of(const SumRow& row, std::size_t key) const;
  std::string_view sort_text(const SumRow& row) const;
  void find_order();
  SortKey sort_key(const SumRow& row) const;

  const std::vector<SumKey> keys_;
  SortWord order_;
  std::size_t sort_by_key_;  // number of a key, or one too many:
  SumColumn sort_by_column_;
  bool both_ends_ = false;
  std::optional<std::uint32_t> list_;  // a key's
  std::optional<std::size_t> spread_;  // number of the key that spreads
  SumPlan plan_;
  std::unordered_map<std::string, std::size_t, SeededHash> numbers_;
  OtherDirection other_direction_;
  std::deque<SumRow> rows_;          // large ones, which stay where they are
  std::string group_, other_group_;  // kept for their memory
};

}  // namespace warpmeter::inline analysis
