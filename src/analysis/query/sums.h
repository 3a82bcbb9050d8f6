// Flow Records summed by keys. Memory: one row a group, about 450 bytes. One thread.
//
// The two directions of a biflow count as two flows, each under its own key. A sum takes what is known: it has no value
// only where no flow of the group has one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/query/sort_order.h"
#include "analysis/query/sum_key.h"
#include "core/seeded_hash.h"

namespace warpmeter::inline analysis {

struct SumRow {
  std::string group;  // what SumKey::append() made of the keys
  std::uint64_t flows = 0;
  std::int64_t start_ns = 0, end_ns = 0;  // first and last
  std::array<std::int64_t, kColumns.size()> sums = {};
  std::uint32_t present = 0;  // columns with a sum
};

// A column of the result behind the keys.
struct SumColumn {
  enum class Kind : std::uint8_t { flows, column, start, end, share };
  Kind kind = Kind::flows;
  std::uint8_t column = 0;  // in kColumns

  std::string name() const;
  FieldType type() const;
  std::optional<std::int64_t> whole(const SumRow& row) const;  // REQUIRES: no share
  std::optional<double> share(const SumRow& row) const;        // retransmitted_segments / data_segments
};

// All there are, in the order in which they are written.
std::vector<SumColumn> sum_columns();

class Sums {
 public:
  // `order`: "NAME[:asc|:desc]", a key or a column, as `option` has it. Throws Error (usage), which names that, if
  // there is no such column.
  Sums(std::vector<SumKey> keys, const std::string& order, const std::string& option = kSortOption);

  void add(const FlowRecord& record, const Annotations& noted = kNoAnnotations);
  std::size_t groups() const { return rows_.size(); }

  // Those that are wanted (all, if nothing says), sorted; rows that are equal there by their keys. `most` = 0 means
  // all.
  std::vector<const SumRow*> sorted(std::size_t most, const std::function<bool(const SumRow&)>& wanted = {}) const;

 private:
  void add_both_ends(SumSubject subject);
  void add_to(const std::string& group, const FlowRecord& record);
  std::string_view sort_text(const SumRow& row) const;
  void find_order();
  SortKey sort_key(const SumRow& row) const;

  const std::vector<SumKey> keys_;
  SortWord order_;
  std::size_t sort_by_key_;  // number of a key, or one too many:
  SumColumn sort_by_column_;
  bool both_ends_ = false;
  std::optional<std::uint32_t> list_;  // a key's
  std::unordered_map<std::string, std::size_t, SeededHash> numbers_;
  std::vector<SumRow> rows_;
  std::string group_, other_group_;  // kept for their memory
};

}  // namespace warpmeter::inline analysis
