#include "analysis/query/comparison.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "analysis/query/literal.h"
#include "record/columns/column_option.h"

namespace warpmeter::inline analysis {
namespace {

constexpr std::pair<std::string_view, Operator> kOperators[] = {{"=", Operator::equal},
                                                                {"==", Operator::equal},
                                                                {"!=", Operator::not_equal},
                                                                {"<", Operator::less},
                                                                {"<=", Operator::less_or_equal},
                                                                {">", Operator::greater},
                                                                {">=", Operator::greater_or_equal},
                                                                {"in", Operator::in},
                                                                {"not in", Operator::not_in},
                                                                {"has", Operator::has}};

bool is_order(Operator op) {
  constexpr Operator kOthers[] = {Operator::equal, Operator::not_equal, Operator::in, Operator::not_in};
  return std::ranges::find(kOthers, op) == std::end(kOthers);
}

template <class T>
std::optional<std::int64_t> named_or_number(std::optional<T> named, std::string_view text) {
  if (named) return *named;
  return number_literal(text);
}

std::optional<std::int64_t> from_0_to(std::int64_t most, std::optional<std::int64_t> number) {
  return number && *number >= 0 && *number <= most ? number : std::nullopt;
}

// Years, and seconds, milliseconds and microseconds since 1970: as nanoseconds all of them would be in that year.
constexpr std::string_view kPlainTime =
    "a time of our days, as plain numbers are nanoseconds since 1970 (19 digits): write a date such as 2020-01-01, or "
    "start_ns, end_ns if you mean it";

bool is_meant_otherwise(std::string_view text, std::int64_t ns) {
  constexpr std::int64_t kYear = 365 * 86400 * 1'000'000'000LL;
  return text.find('-') == std::string_view::npos && ns > 0 && ns < kYear;
}

}  // namespace

std::optional<Operator> operator_of(std::string_view word) {
  for (const auto& [text, op] : kOperators) {
    if (text == word) return op;
  }
  return std::nullopt;
}

std::vector<std::string_view> operator_words(FieldType type) {
  std::vector<std::string_view> words;
  for (const auto& [text, op] : kOperators) {
    if (text != "==" && Wanted::takes(type, op)) words.push_back(text);
  }
  return words;
}

bool Wanted::takes(FieldType type, Operator op) {
  if (type == FieldType::endpoint) return false;
  if (op == Operator::has) return type == FieldType::flags;
  return !(is_order(op) && (type == FieldType::address || type == FieldType::text || type == FieldType::texts));
}

// A MAC address may be meant as columns have it, or, as any text, as it is.
void Wanted::add_text(std::string_view text) {
  values_.emplace_back().text = text;
  if (const auto mac = mac_literal(text); mac && *mac != text) values_.emplace_back().text = *mac;
}

std::string_view Wanted::add_value(std::string_view text) {
  Value value;
  std::optional<std::int64_t> whole;
  std::string_view form;
  const auto take = [&] { return values_.push_back(value), std::string_view(); };
  switch (type_) {
    case FieldType::address:
    case FieldType::endpoint:
      if (const auto prefix = prefix_literal(text)) {
        value.prefix = *prefix;
        return take();
      }
      return "an address or a prefix such as 10.0.0.0/8";
    case FieldType::text:
    case FieldType::texts: add_text(text); return {};
    case FieldType::share:
    case FieldType::decimal:
      if (const auto number = type_ == FieldType::share ? share_literal(text) : decimal_literal(text)) {
        value.share = *number;
        return take();
      }
      return type_ == FieldType::share ? "a share such as 1.5% or 0.015" : "a number such as 0.5, 1500 or 2M";
    case FieldType::port:
      whole = from_0_to(0xffff, number_literal(text));
      form = "a port, from 0 to 65535";
      break;
    case FieldType::number:
      whole = from_0_to(INT64_MAX, number_literal(text));
      form = "a whole number such as 1500 or 2M";
      break;
    case FieldType::bytes:
      whole = from_0_to(INT64_MAX, bytes_literal(text));
      form = "a number of bytes such as 1500 or 2M";
      break;
    case FieldType::protocol:
      whole = from_0_to(0xff, named_or_number(protocol_number(text), text));
      form = "a protocol such as tcp, udp or 47 (0 to 255)";
      break;
    case FieldType::time:
      whole = time_literal(text);
      form = "a time such as 2026-01-02T03:04:05.678 (UTC) or nanoseconds since 1970";
      if (whole && !names_ns_ && is_meant_otherwise(text, *whole)) return kPlainTime;
      break;
    case FieldType::span:
      whole = span_literal(text, plain_ns_);
      form = "a time such as 300ms or 1.5s";
      break;
    case FieldType::flags:
      whole = from_0_to(0xff, named_or_number(flags_of_letters(text), text));
      form = "TCP flags such as SA, of the letters FSRPAUEC";
      break;
    case FieldType::end_reason:
      whole = from_0_to(0xff, named_or_number(end_reason_number(text), text));
      form = "an end reason: idle, active, end, forced, resources or 1 to 5";
      break;
  }
  if (!whole) return form;
  value.whole = *whole;
  return take();
}

bool holds(Operator op, std::partial_ordering order) {
  switch (op) {
    case Operator::equal: return order == 0;
    case Operator::not_equal: return order != 0;
    case Operator::less: return order < 0;
    case Operator::less_or_equal: return order <= 0;
    case Operator::greater: return order > 0;
    case Operator::greater_or_equal: return order >= 0;
    case Operator::in:
    case Operator::not_in:
    case Operator::has: break;
  }
  return false;
}

template <class T>
bool Wanted::compare(T have, T Value::*wanted) const {
  const auto same = [&](const Value& value) { return have == value.*wanted; };
  switch (op_) {
    case Operator::in: return std::ranges::any_of(values_, same);
    case Operator::not_in: return std::ranges::none_of(values_, same);
    case Operator::has: return (static_cast<std::int64_t>(have) & values_.front().whole) == values_.front().whole;
    default: return holds(op_, have <=> values_.front().*wanted);
  }
}

bool Wanted::met_by_whole(std::int64_t have) const { return compare(have, &Value::whole); }

bool Wanted::met_by_share(double have) const { return compare(have, &Value::share); }

bool Wanted::met_by_text(std::string_view have) const {
  const bool is_one = std::ranges::any_of(values_, [&](const Value& value) { return have == value.text; });
  return is_one != (asks_for_others() && type_ == FieldType::text);
}

bool Wanted::covers(std::uint8_t version, const std::uint8_t (&address)[16]) const {
  return std::any_of(values_.begin(), values_.end(),
                     [&](const Value& value) { return value.prefix.covers(version, address); });
}

bool Wanted::covers_some(std::uint8_t version, const std::uint8_t (&address)[16], int bits) const {
  return std::any_of(values_.begin(), values_.end(), [&](const Value& value) {
    Prefix prefix = value.prefix;
    prefix.bits = std::min(prefix.bits, bits);
    return prefix.covers(version, address);
  });
}

Comparison::Comparison(Field field, Operator op, std::int64_t plain_ns, bool names_ns)
    : field_(field), wanted_(field.type(), op, plain_ns, names_ns) {}

// What either does not have compares with nothing.
bool Comparison::columns_match(const NotedFlow& subject) const {
  const Biflow& flow = subject.flow;
  const Operator op = wanted_.op();
  const FlowRecord *const left = record_of(field_, flow), *const right = record_of(*other_, flow);
  if (!left || !right) return false;
  if (type() == FieldType::address) {
    const auto address = [](Field field, const FlowKey& key) -> const auto& {
      return field.kind == Field::Kind::source_address ? key.source : key.destination;
    };
    const std::size_t bytes = left->key.version == 4 ? 4 : 16;
    return holds(op, std::memcmp(address(field_, left->key), address(*other_, right->key), bytes) <=> 0);
  }
  if (type() == FieldType::share) {
    const auto a = retransmission_share(*left), b = retransmission_share(*right);
    return a && b && holds(op, *a <=> *b);
  }
  const auto a = whole_value(field_, flow, subject.noted), b = whole_value(*other_, flow, subject.noted);
  return a && b && holds(op, *a <=> *b);
}

bool Comparison::address_matches(const FlowKey& key) const {
  const bool source = field_.kind != Field::Kind::destination_address;
  const bool destination = field_.kind != Field::Kind::source_address;
  const bool any = (source && wanted_.covers(key.version, key.source)) ||
                   (destination && wanted_.covers(key.version, key.destination));
  return any != wanted_.asks_for_others();
}

// What neither end has, meets no test; to be another text, both have to be.
bool Comparison::either_matches(const Annotations& noted) const {
  const std::string_view source = noted.first_of(field_.annotation), other = noted.first_of(field_.of_other_end);
  const auto met = [&](std::string_view text) {
    return text.empty() ? wanted_.asks_for_others() : wanted_.met_by_text(text);
  };
  if (source.empty() && other.empty()) return false;
  return wanted_.asks_for_others() ? met(source) && met(other) : met(source) || met(other);
}

bool Comparison::annotation_matches(const Annotations& noted) const {
  if (wanted_.type() == FieldType::text) {
    const std::string_view text = noted.first_of(field_.annotation);
    return !text.empty() && wanted_.met_by_text(text);
  }
  const bool any = std::ranges::any_of(noted.all(), [&](const Annotation& annotation) {
    return annotation.column == field_.annotation && wanted_.met_by_text(annotation.text);
  });
  return any != wanted_.asks_for_others();
}

bool Comparison::matches(const NotedFlow& subject) const {
  if (other_) return columns_match(subject);
  if (field_.kind == Field::Kind::annex && wanted_.type() == FieldType::text) {
    const std::string text = annotation_text(field_, subject.noted);
    return !text.empty() && wanted_.met_by_text(text);
  }
  if (field_.kind == Field::Kind::annotation) return annotation_matches(subject.noted);
  if (field_.kind == Field::Kind::either_annotation) return either_matches(subject.noted);
  const FlowRecord* record = record_of(field_, subject.flow);
  if (!record) return false;
  if (field_.kind == Field::Kind::community_id) return wanted_.met_by_text(community_id_of(record->key));
  if (wanted_.type() == FieldType::address) return address_matches(record->key);
  if (wanted_.type() == FieldType::share) {
    const auto share = retransmission_share(*record);
    return share && wanted_.met_by_share(*share);
  }
  if (field_.kind == Field::Kind::either_port) {
    const bool source = wanted_.met_by_whole(port_number(record->key.source_port));
    const bool destination = wanted_.met_by_whole(port_number(record->key.destination_port));
    return wanted_.asks_for_others() ? source && destination : source || destination;
  }
  const auto value = whole_value(field_, subject.flow, subject.noted);
  return value && wanted_.met_by_whole(*value);
}

}  // namespace warpmeter::inline analysis
