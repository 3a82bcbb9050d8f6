#include "analysis/query/sum_column.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline analysis {
namespace {

using SumKind = SumColumn::Kind;

constexpr std::size_t kRetransmitted = column_number("retransmitted_segments"), kData = column_number("data_segments"),
                      kPackets = column_number("packets"), kBytes = column_number("bytes");
constexpr std::string_view kBitRate = "bits_per_second", kPacketRate = "packets_per_second", kShare = "share_",
                           kDistinct = "distinct_", kFlows = "flows";
constexpr std::pair<std::string_view, SumKind> kOfFlows[] = {
    {"mean_", SumKind::mean}, {"min_", SumKind::smallest}, {"max_", SumKind::largest}};
constexpr std::string_view kUsualPercentiles[] = {"p50_", "p95_", "p99_"};

// What belongs to one connection or flow has no sum.
bool can_be_summed(const Column& column) {
  return column.unit != Unit::end_reason && !column.name.starts_with("connection_");
}

bool can_be_gathered(Field field) {
  if (field.reverse) return false;
  if (field.kind == Field::Kind::duration || field.kind == Field::Kind::handshake) return true;
  return field.kind == Field::Kind::column && field.type() != FieldType::flags && field.type() != FieldType::end_reason;
}

// A flow has one value of it.
bool can_be_distinct(std::string_view key) {
  constexpr std::string_view kKeys[] = {"src_addr", "dst_addr", "src_port",  "dst_port",  "protocol",
                                        "version",  "vlan_id",  "tcp_flags", "end_reason"};
  return std::ranges::find(kKeys, key.substr(0, key.find('/'))) != std::end(kKeys);
}

// "p95_bytes" -> 95, and the name is "bytes".
std::optional<std::uint8_t> take_percent(std::string_view& name) {
  unsigned percent = 0;
  const auto [end, failed] = std::from_chars(name.data() + 1, name.data() + name.size(), percent);
  if (!name.starts_with('p') || failed != std::errc() || percent < 1 || percent > 99) return std::nullopt;
  const auto digits = static_cast<std::size_t>(end - name.data());
  if (digits >= name.size() || name[digits] != '_' || name[1] == '0') return std::nullopt;
  name.remove_prefix(digits + 1);
  return static_cast<std::uint8_t>(percent);
}

std::optional<SumColumn> share_of(std::string_view name) {
  if (name == kFlows) return SumColumn{SumKind::share, kColumns.size()};
  const std::size_t column = column_number(name);
  if (column == kColumns.size() || !can_be_summed(kColumns[column]) || kColumns[column].unit == Unit::flags)
    return std::nullopt;
  return SumColumn{SumKind::share, static_cast<std::uint8_t>(column)};
}

std::optional<SumColumn> distinct_of(std::string_view name) {
  if (!can_be_distinct(name)) return std::nullopt;
  SumColumn column{SumKind::distinct};
  try {
    column.key.emplace(std::string(name));
  } catch (const Error&) {  // of bits that no address has
    return std::nullopt;
  }
  return column;
}

std::optional<SumColumn> of_flows(std::string_view name) {
  SumColumn column;
  const std::optional<std::uint8_t> percent = take_percent(name);
  if (percent) {
    column.kind = SumKind::percentile;
    column.percent = *percent;
  } else {
    const auto found = std::ranges::find_if(kOfFlows, [name](const auto& of) { return name.starts_with(of.first); });
    if (found == std::end(kOfFlows)) return std::nullopt;
    column.kind = found->second;
    name.remove_prefix(found->first.size());
  }
  const std::optional<Field> field = Field::of(name);
  if (!field || !can_be_gathered(*field)) return std::nullopt;
  column.field = *field;
  return column;
}

std::string prefix_of(const SumColumn& column) {
  if (column.kind == SumKind::percentile) return std::string("p").append(std::to_string(column.percent)).append("_");
  for (const auto& [prefix, kind] : kOfFlows) {
    if (kind == column.kind) return std::string(prefix);
  }
  return "";
}

std::optional<double> part(const std::optional<std::int64_t>& of, const std::optional<std::int64_t>& whole) {
  if (!of || !whole || *whole == 0) return std::nullopt;
  return static_cast<double>(*of) / static_cast<double>(*whole);
}

std::optional<std::int64_t> sum_of(const SumRow& row, std::size_t column) {
  if (column == kColumns.size()) return static_cast<std::int64_t>(row.flows);
  if (!(row.present >> column & 1)) return std::nullopt;
  return row.sums[column];
}

std::optional<double> rate(const SumRow& row, std::size_t column, double times) {
  const std::int64_t interval = row.plan ? row.plan->interval_ns : 0;
  const std::int64_t ns = interval ? interval : span_between(row.start_ns, row.end_ns);
  const auto sum = sum_of(row, column);
  if (!sum || ns <= 0) return std::nullopt;
  return static_cast<double>(*sum) * times / (static_cast<double>(ns) / 1e9);
}

// The smallest value that at least so many of a hundred do not exceed.
std::int64_t percentile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

}  // namespace

std::optional<SumColumn> SumColumn::of(std::string_view name) {
  const std::optional<Field> field = Field::of(name);  // "start" means start_ns
  const std::string full = field ? field->name() : std::string(name);
  for (const SumColumn& column : sum_columns()) {
    if (column.name() == full) return column;
  }
  if (name == kBitRate) return SumColumn{SumKind::bit_rate};
  if (name == kPacketRate) return SumColumn{SumKind::packet_rate};
  if (name.starts_with(kShare)) return share_of(name.substr(kShare.size()));
  if (name.starts_with(kDistinct)) return distinct_of(name.substr(kDistinct.size()));
  return of_flows(name);
}

std::size_t SumColumn::prefix_length(const std::string& name) {
  const std::optional<SumColumn> column = of(name);
  if (!column || column->kind < SumKind::share || column->kind == SumKind::bit_rate ||
      column->kind == SumKind::packet_rate)
    return 0;
  return name.find('_') + 1;
}

std::string SumColumn::name() const {
  switch (kind) {
    case SumKind::flows: return std::string(kFlows);
    case SumKind::start: return "start_ns";
    case SumKind::end: return "end_ns";
    case SumKind::retransmission_share: return "retransmission_share";
    case SumKind::bit_rate: return std::string(kBitRate);
    case SumKind::packet_rate: return std::string(kPacketRate);
    case SumKind::distinct: return std::string(kDistinct) + key->name();
    case SumKind::share: return std::string(kShare).append(column == kColumns.size() ? kFlows : kColumns[column].name);
    case SumKind::column: return std::string(kColumns[column].name);
    default: return prefix_of(*this) + field.name();
  }
}

FieldType SumColumn::type() const {
  switch (kind) {
    case SumKind::flows:
    case SumKind::distinct: return FieldType::number;
    case SumKind::retransmission_share:
    case SumKind::share: return FieldType::share;
    case SumKind::start:
    case SumKind::end: return FieldType::time;
    case SumKind::column: return Field{Field::Kind::column, column}.type();
    case SumKind::bit_rate:
    case SumKind::packet_rate: return FieldType::decimal;
    case SumKind::mean: return field.type() == FieldType::number ? FieldType::decimal : field.type();
    case SumKind::smallest:
    case SumKind::largest:
    case SumKind::percentile: break;
  }
  return field.type();
}

std::optional<std::int64_t> SumColumn::whole(const SumRow& row) const {
  if (kind == SumKind::flows) return static_cast<std::int64_t>(row.flows);
  if (kind == SumKind::start) return row.start_ns;
  if (kind == SumKind::end) return row.end_ns;
  if (kind == SumKind::column) return sum_of(row, column);
  const Gathered* const of_flows = row.plan ? row.plan->gathered(row, *this) : nullptr;
  if (!of_flows) return std::nullopt;
  if (kind == SumKind::distinct) return static_cast<std::int64_t>(of_flows->distinct.size());
  if (of_flows->count == 0) return std::nullopt;
  switch (kind) {
    case SumKind::smallest: return of_flows->smallest;
    case SumKind::largest: return of_flows->largest;
    case SumKind::percentile: return percentile(of_flows->values, percent);
    default: return std::llround(static_cast<double>(of_flows->total) / static_cast<double>(of_flows->count));
  }
}

std::optional<double> SumColumn::real(const SumRow& row) const {
  if (kind == SumKind::retransmission_share) return part(sum_of(row, kRetransmitted), sum_of(row, kData));
  if (kind == SumKind::share)
    return row.plan ? part(sum_of(row, column), sum_of(row.plan->total, column)) : std::nullopt;
  if (kind == SumKind::bit_rate) return rate(row, kBytes, 8);
  if (kind == SumKind::packet_rate) return rate(row, kPackets, 1);
  const Gathered* const of_flows = row.plan ? row.plan->gathered(row, *this) : nullptr;
  if (!of_flows || of_flows->count == 0) return std::nullopt;
  return static_cast<double>(of_flows->total) / static_cast<double>(of_flows->count);
}

void SumPlan::add(const SumColumn& column) {
  has_total |= column.kind == SumKind::share;
  if (!column.is_gathered()) return;
  if (column.kind == SumKind::distinct) {
    if (std::ranges::find(distinct, column.key->name(), &SumKey::name) == distinct.end())
      distinct.push_back(*column.key);
    return;
  }
  const auto at = static_cast<std::size_t>(std::ranges::find(fields, column.field) - fields.begin());
  if (at == fields.size()) {
    fields.push_back(column.field);
    keeps_values.push_back(false);
  }
  if (column.kind == SumKind::percentile) keeps_values[at] = true;
}

const Gathered* SumPlan::gathered(const SumRow& row, const SumColumn& column) const {
  std::size_t at = 0;
  if (column.kind == SumKind::distinct) {
    const auto found = std::ranges::find(distinct, column.key->name(), &SumKey::name);
    at = fields.size() + static_cast<std::size_t>(found - distinct.begin());
  } else {
    const auto found = std::ranges::find(fields, column.field);
    at = found == fields.end() ? row.gathered.size() : static_cast<std::size_t>(found - fields.begin());
  }
  return at < row.gathered.size() ? &row.gathered[at] : nullptr;
}

std::vector<SumColumn> sum_columns() {
  std::vector<SumColumn> columns = {{SumKind::flows}};
  for (std::uint8_t i = 0; i < kColumns.size(); ++i) {
    if (can_be_summed(kColumns[i])) columns.push_back({SumKind::column, i});
  }
  for (const auto kind : {SumKind::retransmission_share, SumKind::start, SumKind::end}) columns.push_back({kind});
  return columns;
}

std::vector<std::string> sum_column_names(std::string_view name) {
  std::vector<std::string> names;
  for (const SumColumn& column : sum_columns()) names.push_back(column.name());
  for (const std::string_view rate : {kBitRate, kPacketRate}) names.emplace_back(rate);
  std::vector<std::string> prefixes = {std::string(kShare), std::string(kDistinct)};
  for (const auto& [prefix, kind] : kOfFlows) prefixes.emplace_back(prefix);
  for (const std::string_view prefix : kUsualPercentiles) prefixes.emplace_back(prefix);
  for (const std::string& prefix : prefixes) {
    if (!name.starts_with(prefix.substr(0, 3))) continue;
    for (std::string& rest : field_names()) {
      if (SumColumn::of(prefix + rest)) names.push_back(prefix + rest);
    }
  }
  return names;
}

}  // namespace warpmeter::inline analysis
