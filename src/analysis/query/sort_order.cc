#include "analysis/query/sort_order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "analysis/query/sum_key.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint64_t turned(std::uint64_t word, bool descending) { return descending ? ~word : word; }

std::uint64_t big_endian_text(std::string_view text) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < 8; ++i) word = word << 8 | (i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0);
  return word;
}

std::uint64_t big_endian(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | bytes[i];
  return word;
}

// People ask for the largest counters, and for addresses and times from the first on.
bool usually_descends(const std::string& name) {
  const std::string bare = name.substr(0, name.find('/'));  // without what keys of sums add
  if (bare == kSpreadKey) return false;
  const std::optional<Field> field = Field::of(bare);
  if (!field) return true;
  switch (field->type()) {
    case FieldType::address:
    case FieldType::port:
    case FieldType::protocol:
    case FieldType::time:
    case FieldType::text:
    case FieldType::texts:
    case FieldType::endpoint: return false;
    default:
      return field->kind != Field::Kind::vlan && field->kind != Field::Kind::version &&
             field->kind != Field::Kind::first_packet;
  }
}

}  // namespace

SortKey SortKey::of_nothing() { return {{UINT64_MAX, 0, 0}}; }

SortKey SortKey::of_whole(std::int64_t value, bool descending) {
  return {{0, turned(static_cast<std::uint64_t>(value) ^ kSign, descending), 0}};
}

// The bits of doubles that are not negative are in their order.
SortKey SortKey::of_share(double value, bool descending) {
  return {{0, turned(std::bit_cast<std::uint64_t>(value), descending), 0}};
}

SortKey SortKey::of_text(std::string_view text, bool descending) {
  if (text.empty()) return of_nothing();
  const std::string_view rest = text.substr(std::min<std::size_t>(text.size(), 8));
  return {{0, turned(big_endian_text(text), descending), turned(big_endian_text(rest), descending)}};
}

SortKey SortKey::of_address(std::uint8_t version, const std::uint8_t (&address)[16], bool descending) {
  const std::uint64_t first = descending ? 6 - version : version;
  return {{first, turned(big_endian(address), descending), turned(big_endian(address + 8), descending)}};
}

SortWord::SortWord(const std::string& text, std::string of)
    : name(text.substr(0, text.find(':'))), option(std::move(of)) {
  descending = usually_descends(name);
  if (name.size() == text.size()) return;
  const std::string direction = text.substr(name.size() + 1);
  if (direction != "asc" && direction != "desc") {
    throw Error(option + ": '" + shortened(text) + "': the direction is asc or desc", ExitStatus::usage);
  }
  descending = direction == "desc";
  says_direction = true;
}

SortOrder::SortOrder(const std::string& text, const std::string& option, const ExtraColumns& others) {
  SortWord word(text, option);
  std::optional<Field> field = Field::of(word.name);
  if (!field && std::ranges::find(others, word.name, &ExtraColumn::name) != others.end()) {
    field = Field::of_annotation(word.name);
    word.descending &= word.says_direction;
  }
  if (!field) throw Error(option + ": " + no_such_field(word.name), ExitStatus::usage);
  if (!field->is_sortable()) {
    throw Error(option + ": not by " + word.name + ", but by its parts", ExitStatus::usage);
  }
  field_ = *field;
  descending_ = word.descending;
}

int SortOrder::compare_texts(const Annotations& a, const Annotations& b) const {
  const int order = annotation_text(field_, a).compare(annotation_text(field_, b));
  return descending_ ? -order : order;
}

SortKey SortOrder::key(const Biflow& flow, const Annotations& noted) const {
  if (by_text()) return SortKey::of_text(annotation_text(field_, noted), descending_);
  const FlowRecord* record = record_of(field_, flow);
  if (!record) return SortKey::of_nothing();
  const FlowKey& key = record->key;
  if (field_.type() == FieldType::address) {
    const bool source = field_.kind == Field::Kind::source_address;
    return SortKey::of_address(key.version, source ? key.source : key.destination, descending_);
  }
  if (field_.type() == FieldType::share) {
    const auto share = retransmission_share(*record);
    return share ? SortKey::of_share(*share, descending_) : SortKey::of_nothing();
  }
  const auto value = whole_value(field_, flow, noted);
  return value ? SortKey::of_whole(*value, descending_) : SortKey::of_nothing();
}

bool FlowSorter::before(const Entry& entry, const FlowRecord& record, const Annotations& noted,
                        const Entry& other) const {
  if (const auto order = entry.key <=> other.key; order != 0) return order < 0;
  if (order_ && order_->by_text()) {
    if (const int order = order_->compare_texts(noted, noted_of(other))) return order < 0;
  }
  const FlowRecord& behind = forward_[other.forward];
  if (const int order = compare(record.key, behind.key)) return order < 0;
  if (record.start_ns != behind.start_ns) return record.start_ns < behind.start_ns;
  if (record.end_ns != behind.end_ns) return record.end_ns < behind.end_ns;
  return entry.number < other.number;
}

void FlowSorter::store(const Biflow& flow, const Annotations& noted, Entry& entry) {
  forward_[entry.forward] = flow.forward;
  if (entry.noted == kNone && !noted.empty()) {
    entry.noted = static_cast<std::uint32_t>(noted_.size());
    noted_.emplace_back();
  }
  if (entry.noted != kNone) noted_[entry.noted] = noted;
  entry.has_reverse = flow.has_reverse;
  if (!flow.has_reverse) return;
  if (entry.reverse == kNone) {
    entry.reverse = static_cast<std::uint32_t>(reverse_.size());
    reverse_.emplace_back();
  }
  reverse_[entry.reverse] = flow.reverse;
}

void FlowSorter::add(const Biflow& flow, const Annotations& noted) {
  const auto heap_order = [this](const Entry& a, const Entry& b) { return before(a, b); };
  Entry entry;
  const SortKey key = order_ ? order_->key(flow, noted) : SortKey{};
  const std::uint64_t number = ++added_;
  if (most_ && entries_.size() == most_) {
    if (!before({.key = key, .number = number}, flow.forward, noted, entries_.front())) return;
    std::pop_heap(entries_.begin(), entries_.end(), heap_order);
    entry = entries_.back();  // its places are used again
    entries_.pop_back();
  } else {
    entry.forward = static_cast<std::uint32_t>(forward_.size());
    forward_.emplace_back();
  }
  entry.key = key;
  entry.number = number;
  store(flow, noted, entry);
  entries_.push_back(entry);
  if (most_) std::push_heap(entries_.begin(), entries_.end(), heap_order);
}

void FlowSorter::for_each_sorted(const Take& take) {
  std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) { return before(a, b); });
  Biflow flow;
  for (const Entry& entry : entries_) {
    flow.forward = forward_[entry.forward];
    flow.has_reverse = entry.has_reverse;
    if (entry.has_reverse) flow.reverse = reverse_[entry.reverse];
    take(flow, noted_of(entry));
  }
}

}  // namespace warpmeter::inline analysis
