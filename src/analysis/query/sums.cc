#include "analysis/query/sums.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "record/columns/column_option.h"
#include "warpmeter/status.h"

namespace warpmeter::inline analysis {
namespace {

__extension__ using Wide = __int128;
constexpr int kFraction = 32;

// A file may hold any numbers; a sum that has no room stays at the largest.
std::int64_t saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// part / whole in units of 2^-32.
std::uint64_t fraction(std::uint64_t part, std::uint64_t whole) {
  __extension__ using Unsigned = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Unsigned>(part) << kFraction) / whole);
}

// One interval's share of a counter.
void add_part(SumRow& row, std::size_t column, std::int64_t value, std::uint64_t weight) {
  const Wide part = static_cast<Wide>(value) * static_cast<Wide>(weight) + row.fractions[column];
  row.sums[column] = saturated(row.sums[column], static_cast<std::int64_t>(part >> kFraction));
  row.fractions[column] = static_cast<std::uint32_t>(part);
}

}  // namespace

Sums::Sums(std::vector<SumKey> keys, const std::string& order, const std::string& option,
           const std::vector<SumColumn>& asked)
    : keys_(std::move(keys)), order_(order, option), sort_by_key_(keys_.size()) {
  both_ends_ = std::any_of(keys_.begin(), keys_.end(), [](const SumKey& key) { return key.of_both_ends(); });
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i].of_list()) list_ = keys_[i].field().annotation;
    if (keys_[i].spreads()) spread_ = i;
    if (plan_.interval_ns == 0) plan_.interval_ns = keys_[i].interval_ns();
  }
  for (const SumColumn& column : asked) plan_.add(column);
  find_order();
}

std::size_t Sums::key_named(const std::string& name) const {
  const auto same = [&](const SumKey& key) { return key.name() == name; };
  const auto begins = [&](const SumKey& key) { return key.name().substr(0, key.name().find('/')) == name; };
  auto found = std::ranges::find_if(keys_, same);
  if (found == keys_.end() && std::ranges::count_if(keys_, begins) == 1) found = std::ranges::find_if(keys_, begins);
  return static_cast<std::size_t>(found - keys_.begin());
}

void Sums::find_order() {
  sort_by_key_ = key_named(order_.name);
  if (sort_by_key_ != keys_.size()) {
    if (keys_[sort_by_key_].type() == FieldType::text) order_.descending &= order_.says_direction;
    return;
  }
  const std::optional<SumColumn> column = SumColumn::of(order_.name);
  if (column) {
    sort_by_column_ = *column;
    plan_.add(*column);
    return;
  }
  std::vector<std::string> names;
  for (const SumKey& key : keys_) names.push_back(key.name());
  for (std::string& name : sum_column_names(order_.name)) names.push_back(std::move(name));
  throw Error(order_.option + ": " + no_such_field(order_.name, names), ExitStatus::usage);
}

void Sums::add(const Biflow& flow, const Annotations& noted) {
  add(flow.forward, noted, handshake_of(flow.forward, flow.has_reverse ? &flow.reverse : nullptr));
  if (flow.has_reverse) add(flow.reverse, noted.has_annex() ? noted.of_direction(true) : noted);
}

void Sums::add(const FlowRecord& record, const Annotations& noted, std::optional<std::int64_t> handshake_ns) {
  SumSubject subject{record, noted};
  subject.handshake_ns = handshake_ns;
  if (plan_.has_total) {
    ++plan_.total.flows;
    add_counters(plan_.total, subject);
  }
  if (spread_) add_spread(subject);
  else add_labels(subject);
}

// As the page of `report` does: evenly from start to end.
void Sums::add_spread(SumSubject subject) {
  constexpr std::uint64_t kMostIntervals = 1 << 18;
  const std::int64_t start = subject.record.start_ns, end = std::max(start, subject.record.end_ns);
  const SumKey& key = keys_[*spread_];
  const std::int64_t width = key.interval_ns(), first = start_of_interval(start, width);
  const auto distance = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);  // right though it may exceed its type
  };
  const std::uint64_t step = static_cast<std::uint64_t>(width), last = distance(first, end) / step;
  if (last >= kMostIntervals) {
    throw Error(fmt::format("--sum: '{}': a flow of {} has {} such intervals; longer ones, or -f 'duration < 1d', help",
                            key.name(), human_span(span_between(start, end)), last + 1));
  }
  subject.interval = first;
  if (last == 0) return add_labels(subject);
  const std::uint64_t duration = distance(start, end);
  const std::uint64_t of_first = fraction(step - distance(first, start), duration);
  const std::uint64_t of_inner = last > 1 ? fraction(step, duration) : 0;
  for (std::uint64_t i = 0; i <= last; ++i) {
    subject.interval = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i * step);
    subject.weight = i == 0 ? of_first : i == last ? SumSubject::kWhole - of_first - of_inner * (last - 1) : of_inner;
    add_labels(subject);
  }
}

void Sums::add_labels(SumSubject subject) {
  if (list_) {
    const std::vector<std::string_view> labels = subject.noted.list_of(*list_);
    for (const std::string_view label : labels) {
      subject.label = label;
      add_both_ends(subject);
    }
    if (!labels.empty()) return;
  }
  add_both_ends(subject);
}

void Sums::add_both_ends(SumSubject subject) {
  group_.clear();
  for (const SumKey& key : keys_) key.append(subject, group_);
  add_to(group_, subject);
  if (!both_ends_) return;
  subject.destination = true;
  other_group_.clear();
  for (const SumKey& key : keys_) key.append(subject, other_group_);
  if (other_group_ != group_) add_to(other_group_, subject);
}

void Sums::add_to(const std::string& group, const SumSubject& subject) {
  std::int64_t start = subject.record.start_ns, end = subject.record.end_ns;
  if (spread_) {
    std::int64_t until = 0;
    if (__builtin_add_overflow(subject.interval, keys_[*spread_].interval_ns() - 1, &until)) until = INT64_MAX;
    start = std::max(start, subject.interval);
    end = std::max(start, std::min(end, until));
  }
  const auto [found, is_new] = numbers_.try_emplace(group, rows_.size());
  if (is_new) {
    SumRow& row = rows_.emplace_back();
    row.group = group;
    row.start_ns = start;
    row.end_ns = end;
    row.plan = &plan_;
    row.gathered.resize(plan_.fields.size() + plan_.distinct.size());
    if (spread_) row.fractions.resize(kColumns.size());
  }
  SumRow& row = rows_[found->second];
  ++row.flows;
  row.start_ns = std::min(row.start_ns, start);
  row.end_ns = std::max(row.end_ns, end);
  add_counters(row, subject);
  if (!row.gathered.empty()) gather(row, subject);
}

void Sums::add_counters(SumRow& row, const SumSubject& subject) const {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto value = column_value(i, subject.record, subject.record.absent);
    if (!value) continue;
    row.present |= 1u << i;
    if (kColumns[i].unit == Unit::flags) row.sums[i] |= *value;
    else if (*value == 0) continue;
    else if (subject.weight == SumSubject::kWhole) row.sums[i] = saturated(row.sums[i], *value);
    else add_part(row, i, *value, subject.weight);
  }
}

void Sums::gather(SumRow& row, const SumSubject& subject) const {
  for (std::size_t i = 0; i < plan_.fields.size(); ++i) {
    const Field field = plan_.fields[i];
    const bool of_both = field.kind == Field::Kind::handshake;
    const auto value = of_both ? subject.handshake_ns : whole_value(field, subject.record);
    if (!value) continue;
    Gathered& of_flows = row.gathered[i];
    of_flows.smallest = of_flows.count ? std::min(of_flows.smallest, *value) : *value;
    of_flows.largest = of_flows.count ? std::max(of_flows.largest, *value) : *value;
    of_flows.total += *value;
    ++of_flows.count;
    if (plan_.keeps_values[i]) of_flows.values.push_back(*value);
  }
  std::string text;
  for (std::size_t i = 0; i < plan_.distinct.size(); ++i) {
    text.clear();
    plan_.distinct[i].append(subject, text);
    row.gathered[plan_.fields.size() + i].distinct.insert(text);
  }
}

void Sums::settle() {
  for (SumRow& row : rows_) {
    for (Gathered& of_flows : row.gathered) std::ranges::sort(of_flows.values);
  }
  if (spread_) round_intervals();
}

// What is left of one interval goes on into the next, so that all of them add up.
void Sums::round_intervals() {
  struct Interval {
    std::string others;  // the other keys
    std::string_view at;
    SumRow* row;
  };
  std::vector<Interval> intervals;
  for (SumRow& row : rows_) {
    const std::string_view at = part_of(row, *spread_);
    std::string others = row.group;
    others.erase(static_cast<std::size_t>(at.data() - row.group.data()), at.size());
    intervals.push_back({std::move(others), at, &row});
  }
  std::ranges::sort(intervals, [](const Interval& a, const Interval& b) {
    return a.others != b.others ? a.others < b.others : a.at < b.at;
  });
  constexpr Wide kHalf = Wide{1} << (kFraction - 1);
  std::array<Wide, kColumns.size()> rest = {};
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i == 0 || intervals[i].others != intervals[i - 1].others) rest = {};
    SumRow& row = *intervals[i].row;
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      if (kColumns[c].unit == Unit::flags) continue;
      rest[c] += row.fractions[c];
      const std::int64_t whole = rest[c] >= kHalf ? 1 : 0;
      rest[c] -= Wide{whole} << kFraction;
      row.sums[c] = saturated(row.sums[c], whole);
    }
  }
}

// Bytes of the group, which are in the order of the values.
std::string_view Sums::part_of(const SumRow& row, std::size_t key) const {
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 0; i <= key; ++i) {
    begin = end;
    keys_[i].value(row.group, end);
  }
  return std::string_view(row.group).substr(begin, end - begin);
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
  if (sort_by_column_.has_fraction()) {
    const auto share = sort_by_column_.real(row);
    return share ? SortKey::of_share(*share, order_.descending) : SortKey::of_nothing();
  }
  const auto value = sort_by_column_.whole(row);
  return value ? SortKey::of_whole(*value, order_.descending) : SortKey::of_nothing();
}

std::vector<const SumRow*> Sums::sorted(std::size_t most, const std::function<bool(const SumRow&)>& wanted,
                                        const std::string& per) {
  struct Keyed {
    std::string_view per;
    SortKey key;
    const SumRow* row;
  };
  const std::size_t per_key = per.empty() ? keys_.size() : key_named(per);
  if (!per.empty() && per_key == keys_.size()) {
    throw Error("--top N per KEY: '" + shortened(per) + "' is none of the keys of --sum", ExitStatus::usage);
  }
  settle();
  std::vector<Keyed> keyed;
  for (const SumRow& row : rows_) {
    if (wanted && !wanted(row)) continue;
    keyed.push_back({per.empty() ? std::string_view() : part_of(row, per_key), sort_key(row), &row});
  }
  const bool by_text = sort_by_key_ < keys_.size() && keys_[sort_by_key_].type() == FieldType::text;
  const auto before = [&](const Keyed& a, const Keyed& b) {
    if (a.per != b.per) return a.per < b.per;
    if (const auto by_key = a.key <=> b.key; by_key != 0) return by_key < 0;
    if (by_text) {
      const auto order = sort_text(*a.row) <=> sort_text(*b.row);
      if (order != 0) return order_.descending ? order > 0 : order < 0;
    }
    return a.row->group < b.row->group;
  };
  if (most == 0) most = keyed.size();
  const std::size_t first = per.empty() ? std::min(most, keyed.size()) : keyed.size();
  const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(first);
  if (end == keyed.end()) std::sort(keyed.begin(), end, before);
  else std::partial_sort(keyed.begin(), end, keyed.end(), before);
  std::vector<const SumRow*> rows;
  std::size_t of_this = 0;  // value of `per`
  for (std::size_t i = 0; i < first; ++i) {
    of_this = i > 0 && keyed[i].per == keyed[i - 1].per ? of_this + 1 : 1;
    if (of_this <= most) rows.push_back(keyed[i].row);
  }
  return rows;
}

}  // namespace warpmeter::inline analysis
