#include "analysis/query/sums.h"

#include <algorithm>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline analysis {
namespace {

// What belongs to one connection or flow has no sum.
bool can_be_summed(const Column& column) {
  return column.unit != Unit::end_reason && !column.name.starts_with("connection_");
}

// A file may hold any numbers; a sum that has no room stays at the largest.
std::int64_t saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

constexpr std::size_t kRetransmitted = column_number("retransmitted_segments"), kData = column_number("data_segments");

}  // namespace

std::string SumColumn::name() const {
  switch (kind) {
    case Kind::flows: return "flows";
    case Kind::start: return "start_ns";
    case Kind::end: return "end_ns";
    case Kind::share: return "retransmission_share";
    case Kind::column: break;
  }
  return std::string(kColumns[column].name);
}

FieldType SumColumn::type() const {
  if (kind == Kind::flows) return FieldType::number;
  return Field::of(name())->type();
}

std::optional<std::int64_t> SumColumn::whole(const SumRow& row) const {
  switch (kind) {
    case Kind::flows: return static_cast<std::int64_t>(row.flows);
    case Kind::start: return row.start_ns;
    case Kind::end: return row.end_ns;
    default: break;
  }
  if (!(row.present >> column & 1)) return std::nullopt;
  return row.sums[column];
}

std::optional<double> SumColumn::share(const SumRow& row) const {
  if (!(row.present >> kRetransmitted & 1) || !(row.present >> kData & 1) || row.sums[kData] == 0) return std::nullopt;
  return static_cast<double>(row.sums[kRetransmitted]) / static_cast<double>(row.sums[kData]);
}

std::vector<SumColumn> sum_columns() {
  std::vector<SumColumn> columns = {{SumColumn::Kind::flows}};
  for (std::uint8_t i = 0; i < kColumns.size(); ++i) {
    if (can_be_summed(kColumns[i])) columns.push_back({SumColumn::Kind::column, i});
  }
  for (const auto kind : {SumColumn::Kind::share, SumColumn::Kind::start, SumColumn::Kind::end})
    columns.push_back({kind});
  return columns;
}

Sums::Sums(std::vector<SumKey> keys, const std::string& order, const std::string& option)
    : keys_(std::move(keys)), order_(order, option), sort_by_key_(keys_.size()) {
  both_ends_ = std::any_of(keys_.begin(), keys_.end(), [](const SumKey& key) { return key.of_both_ends(); });
  for (const SumKey& key : keys_) {
    if (key.of_list()) list_ = key.field().annotation;
  }
  find_order();
}

void Sums::find_order() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].name() == order_.name) sort_by_key_ = i;
    names.push_back(keys_[i].name());
  }
  if (sort_by_key_ != keys_.size()) {
    if (keys_[sort_by_key_].type() == FieldType::text) order_.descending &= order_.says_direction;
    return;
  }
  const std::optional<Field> field = Field::of(order_.name);  // "start" means start_ns
  for (const SumColumn& column : sum_columns()) {
    names.push_back(column.name());
    sort_by_column_ = column;
    if (column.name() == (field ? field->name() : order_.name)) return;
  }
  throw Error(order_.option + ": " + no_such_field(order_.name, names), ExitStatus::usage);
}

void Sums::add(const FlowRecord& record, const Annotations& noted) {
  if (list_) {
    const std::vector<std::string_view> labels = noted.list_of(*list_);
    for (const std::string_view label : labels) add_both_ends({record, noted, false, label});
    if (!labels.empty()) return;
  }
  add_both_ends({record, noted});
}

void Sums::add_both_ends(SumSubject subject) {
  group_.clear();
  for (const SumKey& key : keys_) key.append(subject, group_);
  add_to(group_, subject.record);
  if (!both_ends_) return;
  subject.destination = true;
  other_group_.clear();
  for (const SumKey& key : keys_) key.append(subject, other_group_);
  if (other_group_ != group_) add_to(other_group_, subject.record);
}

void Sums::add_to(const std::string& group, const FlowRecord& record) {
  const auto [found, is_new] = numbers_.try_emplace(group, rows_.size());
  if (is_new) rows_.push_back({group, 0, record.start_ns, record.end_ns, {}, 0});
  SumRow& row = rows_[found->second];
  ++row.flows;
  row.start_ns = std::min(row.start_ns, record.start_ns);
  row.end_ns = std::max(row.end_ns, record.end_ns);
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto value = column_value(i, record, record.absent);
    if (!value) continue;
    row.present |= 1u << i;
    if (kColumns[i].unit == Unit::flags) row.sums[i] |= *value;
    else row.sums[i] = saturated(row.sums[i], *value);
  }
}

// Of the key that they are sorted by, if it is one of texts.
std::string_view Sums::sort_text(const SumRow& row) const {
  std::string_view text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < keys_.size() && i <= sort_by_key_; ++i) text = keys_[i].value(row.group, at).text;
  return text;
}

SortKey Sums::sort_key(const SumRow& row) const {
  if (sort_by_key_ < keys_.size()) {
    SumKeyValue value;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= sort_by_key_; ++i) value = keys_[i].value(row.group, at);
    if (keys_[sort_by_key_].type() == FieldType::text) return SortKey::of_text(value.text, order_.descending);
    if (value.version) return SortKey::of_address(value.version, value.address, order_.descending);
    return value.number ? SortKey::of_whole(*value.number, order_.descending) : SortKey::of_nothing();
  }
  if (sort_by_column_.type() == FieldType::share) {
    const auto share = sort_by_column_.share(row);
    return share ? SortKey::of_share(*share, order_.descending) : SortKey::of_nothing();
  }
  const auto value = sort_by_column_.whole(row);
  return value ? SortKey::of_whole(*value, order_.descending) : SortKey::of_nothing();
}

std::vector<const SumRow*> Sums::sorted(std::size_t most, const std::function<bool(const SumRow&)>& wanted) const {
  std::vector<std::pair<SortKey, const SumRow*>> keyed;
  for (const SumRow& row : rows_) {
    if (!wanted || wanted(row)) keyed.emplace_back(sort_key(row), &row);
  }
  const bool by_text = sort_by_key_ < keys_.size() && keys_[sort_by_key_].type() == FieldType::text;
  const auto before = [&](const auto& a, const auto& b) {
    if (const auto by_key = a.first <=> b.first; by_key != 0) return by_key < 0;
    if (by_text) {
      const auto order = sort_text(*a.second) <=> sort_text(*b.second);
      if (order != 0) return order_.descending ? order > 0 : order < 0;
    }
    return a.second->group < b.second->group;
  };
  if (most == 0 || most > keyed.size()) most = keyed.size();
  std::partial_sort(keyed.begin(), keyed.begin() + static_cast<std::ptrdiff_t>(most), keyed.end(), before);
  std::vector<const SumRow*> rows;
  for (std::size_t i = 0; i < most; ++i) rows.push_back(keyed[i].second);
  return rows;
}

}  // namespace warpmeter::inline analysis
