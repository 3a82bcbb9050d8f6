#include "record/read/flow_row.h"
#include "core/biflow_key.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>

namespace warpmeter::inline record {
namespace {

constexpr std::uint8_t kAddresses = 2;  // these stand first in kKeyColumns
constexpr std::uint8_t kProtocolColumn = 4, kStartColumn = 5, kEndColumn = 6;
constexpr std::uint32_t kWholeKey = (1u << kStartColumn) - 1;
constexpr std::int64_t kLargestPort = 65535, kLargestOctet = 255, kEndReasons = 5;

// Both are empty where there is no valid connection, which is not the same as not known.
constexpr std::uint32_t kConnection = 1u << column_number("connection_bytes") | 1u << column_number("connection_ns");

std::uint32_t tcp_only_columns() {
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i) set |= std::uint32_t{kColumns[i].tcp_only} << i;
  return set;
}

// Digits and points only: 1.2.3.4. False if it is not that.
bool parse_ip4(std::string_view text, std::uint8_t (&address)[16]) {
  const char *at = text.data(), *const last = at + text.size();
  for (int i = 0; i < 4; ++i) {
    if (i && (at == last || *at++ != '.')) return false;
    const auto [end, failed] = std::from_chars(at, last, address[i]);
    if (failed != std::errc() || (*at == '0' && end - at > 1)) return false;  // 010 is 8 to some, and 10 to others
    at = end;
  }
  return at == last;
}

bool parse_ip6(std::string_view text, std::uint8_t (&address)[16]) {
  char with_end[INET6_ADDRSTRLEN];
  if (text.size() >= sizeof with_end) return false;
  std::memcpy(with_end, text.data(), text.size());
  with_end[text.size()] = 0;
  return inet_pton(AF_INET6, with_end, address) == 1;
}

// As many digits as `most`, or fewer where `least` allows. False if there are none or too few.
bool parse_digits(std::string_view& rest, std::size_t least, std::size_t most, unsigned& value) {
  std::size_t digits = 0;
  value = 0;
  for (; digits < std::min(most, rest.size()) && rest[digits] >= '0' && rest[digits] <= '9'; ++digits) {
    value = value * 10 + static_cast<unsigned>(rest[digits] - '0');
  }
  const std::string_view read = rest.substr(0, digits);
  rest.remove_prefix(digits);
  return read.size() >= least;
}

bool skip_one_of(std::string_view& rest, std::string_view letters) {
  if (rest.empty() || letters.find(rest.front()) == std::string_view::npos) return false;
  rest.remove_prefix(1);
  return true;
}

// "2026-01-31T12:00:00.123456789Z": RFC 3339 in UTC (also "+00:00" or, as DuckDB writes it, "+00"; a blank for the T),
// up to nine digits of a fraction. Nothing if the text is not that, or beyond what 64 bits of nanoseconds can tell.
std::optional<std::int64_t> parse_utc(std::string_view text) {
  unsigned year, month, day, hour, minute, second, fraction = 0;
  if (!parse_digits(text, 4, 4, year) || !skip_one_of(text, "-") || !parse_digits(text, 2, 2, month) ||
      !skip_one_of(text, "-") || !parse_digits(text, 2, 2, day) || !skip_one_of(text, "Tt ") ||
      !parse_digits(text, 2, 2, hour) || !skip_one_of(text, ":") || !parse_digits(text, 2, 2, minute) ||
      !skip_one_of(text, ":") || !parse_digits(text, 2, 2, second)) {
    return std::nullopt;
  }
  if (skip_one_of(text, ".")) {
    const std::size_t before = text.size();
    if (!parse_digits(text, 1, 9, fraction)) return std::nullopt;
    for (std::size_t digits = before - text.size(); digits < 9; ++digits) fraction *= 10;
  }
  if (text != "Z" && text != "z" && text != "+00:00" && text != "+00") return std::nullopt;
  using namespace std::chrono;
  const year_month_day date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                            std::chrono::day(day));
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto days = static_cast<std::int64_t>(sys_days(date).time_since_epoch().count());
  const __int128 seconds = days * 86'400 + hour * 3600 + minute * 60 + second;
  const __int128 ns = seconds * 1'000'000'000 + fraction;
  if (ns < INT64_MIN || ns > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(ns);
}

bool in_range(Unit unit, std::int64_t value) {
  if (unit == Unit::flags) return value >= 0 && value <= kLargestOctet;
  if (unit == Unit::end_reason) return value >= 1 && value <= kEndReasons;
  return value >= 0;
}

}  // namespace

std::optional<Place> Place::of(std::string_view name) {
  const bool reverse = name.starts_with(kReversePrefix);
  if (reverse) name.remove_prefix(kReversePrefix.size());
  for (std::uint8_t i = 0; i < kKeyParts; ++i) {
    if (kKeyColumns[i] == name && !reverse) return Place{Part::key, i};
  }
  for (const TimeForm form : {TimeForm::ns, TimeForm::us, TimeForm::iso}) {
    const TimeNames names = time_names(form);
    if (name == names.start) return Place{Part::start, kStartColumn, reverse, form};
    if (name == names.end) return Place{Part::end, kEndColumn, reverse, form};
    if (name == names.connection) {
      return Place{Part::column, static_cast<std::uint8_t>(kConnectionTime), reverse, form};
    }
  }
  if (name == kVlanColumn && !reverse) return Place{Part::vlan};
  if (name == kFirstPacketColumn) return Place{Part::first_packet, 0, reverse};
  if (const auto field = annex_field(name)) return Place{Part::annex, static_cast<std::uint8_t>(*field), reverse};
  const std::size_t column = column_number(name);
  if (column == kColumns.size()) return std::nullopt;
  return Place{Part::column, static_cast<std::uint8_t>(column), reverse};
}

std::string Place::name() const {
  std::string text(reverse ? kReversePrefix : "");
  if (part == Part::vlan) return text += kVlanColumn;
  if (part == Part::first_packet) return text += kFirstPacketColumn;
  if (part == Part::annex) return text += kAnnexFacts[number].name;
  if (part == Part::start) return text += time_names(form).start;
  if (part == Part::end) return text += time_names(form).end;
  return text += part == Part::column ? column_name(number, form) : kKeyColumns[number];
}

void FlowRow::clear() {
  key_ = {};
  key_present_ = 0;
  for (Direction& d : directions_) {
    d.present = 0;
    d.first_packet = 0;
    d.has_start = d.has_end = false;
  }
  for (Annex& annex : annexes_) {
    if (annex.has) annex = {};
  }
}

void FlowRow::give_annexes(Annotations& to) const {
  for (const bool reverse : {false, true}) {
    if (annexes_[reverse].has) to.add_annex(reverse, annexes_[reverse]);
  }
}

bool FlowRow::refuse(Place place, std::string_view text, const char* not_a) {
  constexpr std::size_t kShown = 40;
  why_ = place.name() + ": '" + std::string(text.substr(0, kShown)) + "' is not " + not_a;
  return false;
}

bool FlowRow::put(Place place, std::string_view text) {
  if (text.empty()) return true;
  if (place.part == Place::Part::key && place.number < kAddresses) return put_address(place, text);
  if (place.form == TimeForm::iso && place.part != Place::Part::column) return put_utc(place, text);
  if (place.part == Place::Part::annex && kAnnexFacts[place.number].text) {
    return annexes_[place.reverse].set_text(static_cast<AnnexField>(place.number), text) ||
           refuse(place, text, "possible here");
  }
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  // pandas writes 463.0 where a column lacks some values.
  if (rest.starts_with('.') && rest.size() > 1 && rest.find_first_not_of('0', 1) == std::string_view::npos) rest = {};
  if (failed != std::errc() || !rest.empty()) return refuse(place, text, "a number");
  return put(place, value);
}

bool FlowRow::put(Place place, std::int64_t value) {
  Direction& d = directions_[place.reverse];
  if (place.form == TimeForm::iso && place.part != Place::Part::column) {
    return refuse(place, std::to_string(value), "a time in UTC");
  }
  if (const std::int64_t us = value; place.form == TimeForm::us && __builtin_mul_overflow(us, kNsPerUs, &value)) {
    return refuse(place, std::to_string(us), "possible here");
  }
  switch (place.part) {
    case Place::Part::column:
      if (!in_range(kColumns[place.number].unit, value)) break;
      d.values[place.number] = value;
      d.present |= 1u << place.number;
      return true;
    case Place::Part::start: d.start_ns = value; return d.has_start = true;
    case Place::Part::end: d.end_ns = value; return d.has_end = true;
    case Place::Part::first_packet:
      if (value < 0) break;
      d.first_packet = value;
      return true;
    case Place::Part::annex:
      if (!annexes_[place.reverse].set_number(static_cast<AnnexField>(place.number), value)) break;
      return true;
    case Place::Part::vlan:
      if (value < 0 || value > kLargestPort) break;
      set_port_number(key_.vlan, value);
      return true;
    case Place::Part::key:
      if (put_key_number(place, value)) return true;
      break;
  }
  return refuse(place, std::to_string(value), "possible here");
}

bool FlowRow::put_utc(Place place, std::string_view text) {
  const std::optional<std::int64_t> ns = parse_utc(text);
  if (!ns) return refuse(place, text, "a time in UTC");
  place.form = TimeForm::ns;
  return put(place, *ns);
}

bool FlowRow::put_key_number(Place place, std::int64_t value) {
  if (place.number < kAddresses) return false;
  const bool protocol = place.number == kProtocolColumn;
  if (value < 0 || value > (protocol ? kLargestOctet : kLargestPort)) return false;
  if (protocol) key_.protocol = static_cast<std::uint8_t>(value);
  else set_port_number(place.number == kAddresses ? key_.source_port : key_.destination_port, value);
  key_present_ |= 1u << place.number;
  return true;
}

bool FlowRow::put_address(Place place, std::string_view text) {
  auto& address = place.number ? key_.destination : key_.source;
  const bool ip6 = text.find(':') != std::string_view::npos;
  if (!(ip6 ? parse_ip6(text, address) : parse_ip4(text, address))) return refuse(place, text, "an address");
  versions_[place.number] = ip6 ? 6 : 4;
  key_present_ |= 1u << place.number;
  return true;
}

// Values that a record of its protocol cannot have are left out, as the writers leave them out.
void FlowRow::make(const Direction& d, std::uint32_t missing, FlowRecord& record) {
  static const std::uint32_t tcp_only = tcp_only_columns();
  const std::uint32_t applies = record.key.protocol == kProtocolTcp ? ~0u : ~tcp_only;
  std::uint32_t optional = ~applies;
  if (!(d.present & kConnection)) optional |= kConnection & ~missing;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (d.present & applies & 1u << i) kColumns[i].set(record, d.values[i]);
  }
  constexpr std::uint32_t kAll = (1u << kColumns.size()) - 1;
  record.absent = ((~d.present & ~optional) | missing) & kAll;
  record.arrival = static_cast<std::uint64_t>(d.first_packet);
  record.start_ns = d.start_ns;
  record.end_ns = d.end_ns;
}

bool FlowRow::finish(std::uint32_t missing, Biflow& flow) {
  if (key_present_ != kWholeKey || !directions_[0].has_start || !directions_[0].has_end) {
    std::uint8_t first = 0;
    while (first < kStartColumn && key_present_ >> first & 1) ++first;
    if (first == kStartColumn && directions_[0].has_start) ++first;
    why_ = "no " + std::string(kKeyColumns[first]);
    return false;
  }
  if (versions_[0] != versions_[1]) {
    why_ = "one address is IPv4, the other IPv6";
    return false;
  }
  key_.version = versions_[0];
  flow.forward = {};
  flow.forward.key = key_;
  make(directions_[0], missing, flow.forward);
  const Direction& d = directions_[1];
  flow.has_reverse = d.present || d.has_start || d.has_end;
  if (!flow.has_reverse) return true;
  if (!d.has_start || !d.has_end) {
    why_ = "no " + std::string(kReversePrefix) + std::string(kKeyColumns[d.has_start ? kEndColumn : kStartColumn]);
    return false;
  }
  flow.reverse = {};
  flow.reverse.key = key_of_answers(key_);
  make(d, missing, flow.reverse);
  return true;
}

NamedColumns::NamedColumns() { layout_.absent = (1u << kColumns.size()) - 1; }

std::string NamedColumns::add(std::string_view name) {
  const std::optional<Place> place = Place::of(name);
  if (!place) {  // of which there may be a million
    const bool is_labels = name == kLabelsName && !has_labels_;
    if (is_labels || other_.size() <= NotedColumns::kMost) other_.emplace_back(places_.size(), name);
    has_labels_ |= is_labels;
    places_.push_back(place);
    return {};
  }
  const auto same = [&](const Place& other) { return other.same_value(*place); };
  if (const auto first = std::find_if(known_.begin(), known_.end(), same); first != known_.end()) {
    const std::string other = first->name();
    return "column " + std::string(name) + " stands there twice" + (other == name ? "" : ", once as " + other);
  }
  if (place->part == Place::Part::vlan) layout_.vlan = true;
  if (place->part == Place::Part::annex) annexes_[place->reverse] |= 1u << place->number;
  if (place->reverse) layout_.biflow = true;
  if (place->part == Place::Part::column && !place->reverse) layout_.absent &= ~(1u << place->number);
  places_.push_back(place);
  known_.push_back(*place);
  return {};
}

void NamedColumns::find_annotations() {
  if (has_labels_) noted_.add(kLabelsName);  // whatever there is no room for
  for (const auto& [column, name] : other_) {
    if (!has_labels_) break;
    numbers_.resize(column + 1);
    numbers_[column] = noted_.add(name);
  }
  layout_.extra = noted_.columns();
  add_annotation_columns(layout_.extra, of_annexes());
}

std::string_view NamedColumns::missing() const {
  for (const std::string_view name : kKeyColumns) {
    const auto is_it = [&](const Place& place) { return place.same_value(*Place::of(name)); };
    if (std::none_of(known_.begin(), known_.end(), is_it)) return name;
  }
  return {};
}

}  // namespace warpmeter::inline record
