#include "analysis/query/sum_key.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <iterator>

#include "analysis/query/literal.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline analysis {
namespace {

using Kind = Field::Kind;

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::size_t kWordBytes = 8;
constexpr std::string_view kKeys[] = {"src_addr",   "dst_addr", "addr",    "src_port", "dst_port",
                                      "port",       "protocol", "version", "vlan_id",  "tcp_flags",
                                      "end_reason", "start",    "end",     kSpreadKey, "labels"};

bool can_be_key(Field field) {
  if (field.reverse) return false;
  if (field.kind == Kind::column) return field.type() == FieldType::end_reason || field.type() == FieldType::flags;
  constexpr Kind kNone[] = {Kind::duration,     Kind::retransmission_share, Kind::handshake, Kind::unanswered,
                            Kind::community_id, Kind::first_packet,         Kind::source,    Kind::destination};
  return std::ranges::find(kNone, field.kind) == std::end(kNone);
}

std::optional<int> bits_of(std::string_view text, int most) {
  int bits = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (failed != std::errc() || end != text.data() + text.size() || bits < 0 || bits > most) return std::nullopt;
  return bits;
}

}  // namespace

std::int64_t start_of_interval(std::int64_t ns, std::int64_t interval) {
  const std::int64_t rest = ns % interval;
  const std::int64_t back = rest < 0 ? rest + interval : rest;
  return ns < INT64_MIN + back ? INT64_MIN : ns - back;
}

SumKey::SumKey(const std::string& text) : name_(text) {
  const std::size_t slash = text.find('/');
  const std::string name = text.substr(0, slash);
  spreads_ = name == kSpreadKey;
  std::optional<Field> field = spreads_ ? Field{Kind::start} : Field::of(name);
  if (!field || !can_be_key(*field)) {
    std::string known;
    for (const std::string_view key : kKeys) known += (known.empty() ? "" : ", ") + std::string(key);
    const std::string geo = missing_geo_column(name);
    doubt_ =
        "--sum: " + (geo.empty() ? std::string("'").append(shortened(text)) + "' is no key; there are " + known : geo);
    if (!field && slash == std::string::npos) field = Field::of_annotation(name);
    if (!field || !field->is_noted()) throw Error(doubt_, ExitStatus::usage);
  }
  field_ = *field;
  if (slash != std::string::npos) parse_behind_slash(text.substr(slash + 1));
  if (field_.type() == FieldType::time && interval_ns_ == 0) {
    throw Error("--sum: '" + text + "' needs the length of the intervals, such as " + name + "/60s", ExitStatus::usage);
  }
}

void SumKey::parse_behind_slash(const std::string& text) {
  if (field_.type() == FieldType::time) {
    const auto interval = span_literal(text, 1'000'000'000);
    if (!interval || *interval <= 0)
      throw Error("--sum: '" + name_ + "': how long is that? Such as 60s", ExitStatus::usage);
    interval_ns_ = *interval;
    return;
  }
  if (!is_address()) throw Error("--sum: '" + name_ + "': only addresses and times have a '/'", ExitStatus::usage);
  const std::size_t colon = text.find(':');
  const std::string_view first = std::string_view(text).substr(0, colon);
  if (!first.empty()) bits4_ = bits_of(first, 32);
  bool good = bits4_.has_value() || (first.empty() && colon != std::string::npos);
  if (colon != std::string::npos) {
    bits6_ = bits_of(std::string_view(text).substr(colon + 1), 128);
    good = good && bits6_;
  }
  if (!good) {
    throw Error(
        "--sum: '" + name_ + "': behind the '/' stand the bits of IPv4 (0 to 32), then perhaps ':' and those of IPv6",
        ExitStatus::usage);
  }
}

std::optional<int> SumKey::bits(std::uint8_t version) const { return version == 4 ? bits4_ : bits6_; }

void SumKey::append_address(const FlowRecord& record, bool destination, std::string& to) const {
  if (field_.kind == Kind::destination_address) destination = true;
  if (field_.kind == Kind::source_address) destination = false;
  std::uint8_t address[16];
  std::memcpy(address, destination ? record.key.destination : record.key.source, sizeof address);
  if (const auto kept = bits(record.key.version)) cut_to_prefix(address, *kept);
  to += static_cast<char>(record.key.version);
  to.append(reinterpret_cast<const char*>(address), record.key.version == 4 ? 4 : sizeof address);
}

// Ends with a byte that no text has.
void SumKey::append_text(std::string_view text, std::string& to) const {
  to += text.empty() ? '\1' : '\0';
  to.append(text) += '\0';
}

void SumKey::append(const SumSubject& subject, std::string& to) const {
  if (is_address()) return append_address(subject.record, subject.destination, to);
  if (of_list()) return append_text(subject.label, to);
  if (field_.is_noted()) {
    const bool other = field_.kind == Kind::either_annotation && subject.destination;
    return append_text(subject.noted.first_of(other ? field_.of_other_end : field_.annotation), to);
  }
  if (type() == FieldType::text) return append_text(annotation_text(field_, subject.noted), to);
  Field field = field_;
  if (field.kind == Kind::annex) return append_number(whole_value(field, {}, subject.noted), to);
  if (spreads_) return append_number(subject.interval, to);
  if (field.kind == Kind::either_port) field.kind = subject.destination ? Kind::destination_port : Kind::source_port;
  std::optional<std::int64_t> value = whole_value(field, subject.record);
  if (value && interval_ns_) value = start_of_interval(*value, interval_ns_);
  append_number(value, to);
}

void SumKey::append_number(std::optional<std::int64_t> value, std::string& to) const {
  to += value ? '\0' : '\1';  // nothing comes last
  if (!value) return;
  const std::uint64_t word = static_cast<std::uint64_t>(*value) ^ kSignBit;
  for (std::size_t i = kWordBytes; i-- > 0;) to += static_cast<char>(word >> 8 * i);
}

SumKeyValue SumKey::value(const std::string& group, std::size_t& at) const {
  SumKeyValue value;
  const auto first = static_cast<std::uint8_t>(group[at++]);
  if (is_address()) {
    value.version = first;
    const std::size_t bytes = first == 4 ? 4 : sizeof value.address;
    std::memcpy(value.address, group.data() + at, bytes);
    at += bytes;
  } else if (type() == FieldType::text) {
    value.text = std::string_view(group).substr(at, group.find('\0', at) - at);
    at += value.text.size() + 1;
  } else if (first == 0) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < kWordBytes; ++i) word = word << 8 | static_cast<std::uint8_t>(group[at++]);
    value.number = static_cast<std::int64_t>(word ^ kSignBit);
  }
  return value;
}

std::vector<std::string_view> sum_key_names() { return {std::begin(kKeys), std::end(kKeys)}; }

std::vector<SumKey> parse_sum_keys(const std::string& text) {
  std::vector<SumKey> keys;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    keys.emplace_back(text.substr(from, comma - from));
    const auto same = [&](const SumKey& other) { return other.name() == keys.back().name(); };
    if (std::any_of(keys.begin(), keys.end() - 1, same)) {
      throw Error("--sum: '" + keys.back().name() + "' is there twice", ExitStatus::usage);
    }
    from = comma + 1;
  }
  if (std::ranges::count_if(keys, &SumKey::spreads) > 1) {
    throw Error("--sum: " + std::string(kSpreadKey) + "/TIME is there twice", ExitStatus::usage);
  }
  return keys;
}

}  // namespace warpmeter::inline analysis
