// Columns of `show --sum` behind the keys: sums of counters, rates, parts of the whole, and what is asked of the single
// flows of a sum.
//
//   flows | a counter | tcp_flags | start_ns | end_ns | retransmission_share
//   share_flows | share_COUNTER              of what all sums have together
//   bits_per_second | packets_per_second     over the time from start to end, or the interval of a key
//   mean_X | min_X | max_X | p50_X ...       of the flows, X a counter, a duration or what belongs to a connection
//   distinct_KEY                             how many values of that key there are, as distinct_dst_addr/24
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analysis/query/field.h"
#include "analysis/query/sum_key.h"
#include "core/seeded_hash.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline analysis {

// What is kept of the single flows of a sum.
struct Gathered {
  std::uint64_t count = 0;
  __extension__ __int128 total = 0;
  std::int64_t smallest = 0, largest = 0;
  std::vector<std::int64_t> values;  // where a percentile is asked for; in the end in their order
  std::unordered_set<std::string, SeededHash> distinct;
};

struct SumPlan;

struct SumRow {
  std::string group;  // what SumKey::append() made of the keys
  std::uint64_t flows = 0;
  std::int64_t start_ns = 0, end_ns = 0;  // first and last
  std::array<std::int64_t, kColumns.size()> sums = {};
  std::uint32_t present = 0;             // columns with a sum
  std::vector<std::uint32_t> fractions;  // of these, in units of 2^-32, while flows are spread over intervals
  std::vector<Gathered> gathered;        // as the plan says
  const SumPlan* plan = nullptr;
};

struct SumColumn {
  enum class Kind : std::uint8_t {
    flows,
    column,
    start,
    end,
    retransmission_share,
    share,
    bit_rate,
    packet_rate,
    mean,
    smallest,
    largest,
    percentile,
    distinct,
  };
  Kind kind = Kind::flows;
  std::uint8_t column = 0;         // in kColumns; of a share kColumns.size(), which means flows
  std::uint8_t percent = 0;        // of percentile
  Field field = {};                // of mean to percentile
  std::optional<SumKey> key = {};  // of distinct

  static std::optional<SumColumn> of(std::string_view name);
  // Of "p95_", "mean_" and so on at its beginning; 0 for names that are made of no other column's.
  static std::size_t prefix_length(const std::string& name);
  std::string name() const;
  FieldType type() const;
  bool has_fraction() const { return type() == FieldType::share || type() == FieldType::decimal; }
  bool is_gathered() const { return kind >= Kind::mean; }

  std::optional<std::int64_t> whole(const SumRow& row) const;  // REQUIRES: !has_fraction()
  std::optional<double> real(const SumRow& row) const;         // REQUIRES: has_fraction()
};

// What rows have in common.
struct SumPlan {
  std::vector<Field> fields;       // gathered of each flow
  std::vector<bool> keeps_values;  // of these
  std::vector<SumKey> distinct;    // gathered behind them
  std::int64_t interval_ns = 0;    // of a key that is of time; 0: there is none
  bool has_total = false;          // a column asks for it
  SumRow total;                    // each flow once

  void add(const SumColumn& column);  // if it asks for more than sums
  // Null where the plan does not have it.
  const Gathered* gathered(const SumRow& row, const SumColumn& column) const;
};

// All that are there unasked, in the order in which they are written.
std::vector<SumColumn> sum_columns();
// And of those that `name` may have been meant for, for messages.
std::vector<std::string> sum_column_names(std::string_view name);

}  // namespace warpmeter::inline analysis
