#include "command/show/row_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <iterator>
#include <utility>

#include "analysis/query/literal.h"
#include "analysis/query/sum_column.h"
#include "base/words/human_units.h"
#include "record/columns/column_option.h"
#include "record/text/value_text.h"
#include "warpmeter/end_reason.h"
#include "warpmeter/flow_counters.h"

namespace warpmeter::inline command {
namespace {

#define WARPMETER_TITLE(name, protocols, unit, methods, title, ...) {#name, title},
constexpr std::pair<std::string_view, std::string_view> kTitles[] = {WARPMETER_FLOW_COUNTERS(WARPMETER_TITLE)  //
                                                                     {"source", "SOURCE"},
                                                                     {"src_addr", "SOURCE"},
                                                                     {"src_port", "SPORT"},
                                                                     {"dst_addr", "DESTINATION"},
                                                                     {"dst_port", "DPORT"},
                                                                     {"protocol", "PROTO"},
                                                                     {"start_ns", "START (UTC)"},
                                                                     {"end_ns", "END (UTC)"},
                                                                     {"retransmission_share", "SHARE"},
                                                                     {"tcp_flags", "FLAGS"},
                                                                     {"connection_ns", "CONNECTION TIME"},
                                                                     {"handshake_ns", "HANDSHAKE"},
                                                                     {"community_id", "COMMUNITY ID"},
                                                                     {kFirstPacketColumn, "FIRST PACKET"},
                                                                     {"bits_per_second", "BIT/S"},
                                                                     {"packets_per_second", "PACKETS/S"},
                                                                     {"time", "TIME (UTC)"},
                                                                     {"start", "START (UTC)"},
                                                                     {"end", "END (UTC)"},
                                                                     {"end_reason", "ENDED BY"},
                                                                     {"vlan_id", "VLAN"}};
#undef WARPMETER_TITLE

std::string address_text(std::uint8_t version, const std::uint8_t (&address)[16]) {
  char text[kAddressText];
  return {text, write_address(text, address, version)};
}

std::string endpoint_text(const FlowKey& key, bool source) {
  const auto& address = source ? key.source : key.destination;
  const auto& port = source ? key.source_port : key.destination_port;
  const std::string host = address_text(key.version, address);
  const bool icmp = key.protocol == kProtocolIcmp || key.protocol == kProtocolIcmpV6;
  if (icmp || (port_number(key.source_port) == 0 && port_number(key.destination_port) == 0)) return host;
  if (key.version == 6) return fmt::format("[{}]:{}", host, port_number(port));
  return fmt::format("{}:{}", host, port_number(port));
}

std::string for_people(FieldType type, std::int64_t value) {
  constexpr std::int64_t kInFull = 10000;
  switch (type) {
    case FieldType::protocol: {
      const std::string_view name = protocol_name(static_cast<std::uint8_t>(value));
      return name.empty() ? std::to_string(value) : std::string(name);
    }
    case FieldType::time: return utc_text(value);
    case FieldType::span: return human_span(value);
    case FieldType::flags: return flag_letters(static_cast<std::uint8_t>(value));
    case FieldType::end_reason: return std::string(end_reason_words(value));
    case FieldType::bytes: return value ? human_bytes(static_cast<double>(value)) : ".";
    case FieldType::number:
      if (value == 0) return ".";
      return value < kInFull ? std::to_string(value) : human_count(static_cast<double>(value));
    default: return std::to_string(value);
  }
}

RowValue text_value(std::string text) { return text.empty() ? RowValue() : std::move(text); }

std::string share_text(double share, Audience audience) {
  if (audience == Audience::program) return fmt::format("{:.9f}", share);
  return share == 0 ? "." : fmt::format("{:.2f}%", share * 100);
}

std::string real_text(FieldType type, double value, Audience audience) {
  if (type == FieldType::share) return share_text(value, audience);
  if (audience == Audience::program) return fmt::format("{:.6f}", value);
  if (value == 0) return ".";
  constexpr double kFirstUnit = 999.5;
  return value < kFirstUnit ? human_detail::three_digits(value) : human_count(value);
}

std::string capitals(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// Behind what stands before the name of a column that it is made of: "reverse_", "p95_", ...; 0 if there is none.
std::size_t end_of_prefix(const std::string& name) {
  if (name.starts_with(kReversePrefix)) return kReversePrefix.size();
  return SumColumn::prefix_length(name);
}

}  // namespace

std::string utc_text(std::int64_t ns) {
  using namespace std::chrono;
  const sys_time<milliseconds> moment(floor<milliseconds>(nanoseconds(ns)));
  const sys_days midnight = floor<days>(moment);
  const year_month_day date(midnight);
  const hh_mm_ss<milliseconds> time(moment - midnight);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

RowValue number_value(FieldType type, std::optional<std::int64_t> value, TimeForm form) {
  if (!value) return {};
  const bool time = type == FieldType::time || type == FieldType::span;
  return time ? in_unit_of(form, *value) : *value;
}

RowValue share_value(std::optional<double> share) { return share ? RowValue(*share) : RowValue(); }

RowValue field_value(Field field, const Biflow& flow, const Annotations& noted, TimeForm form) {
  if (field.kind == Field::Kind::annotation) return text_value(annotation_text(field, noted));
  if (field.kind == Field::Kind::annex) {
    if (field.type() == FieldType::text) return text_value(annotation_text(field, noted));
    return number_value(field.type(), whole_value(field, flow, noted), form);
  }
  const FlowRecord* record = record_of(field, flow);
  if (!record) return {};
  const FlowKey& key = record->key;
  switch (field.kind) {
    case Field::Kind::source_address: return address_text(key.version, key.source);
    case Field::Kind::destination_address: return address_text(key.version, key.destination);
    case Field::Kind::source: return endpoint_text(key, true);
    case Field::Kind::destination: return endpoint_text(key, false);
    case Field::Kind::retransmission_share: return share_value(retransmission_share(*record));
    case Field::Kind::duration: return duration_in(form, record->start_ns, record->end_ns);
    case Field::Kind::handshake:
      return number_value(FieldType::number,
                          handshake_of(flow.forward, flow.has_reverse ? &flow.reverse : nullptr, form), form);
    case Field::Kind::community_id: return community_id_of(key);
    default: return number_value(field.type(), whole_value(field, flow), form);
  }
}

RowValue key_value(const SumKey& key, const SumKeyValue& value, TimeForm form) {
  if (key.type() == FieldType::text) return text_value(std::string(value.text));
  if (!key.is_address()) return number_value(key.field().type(), value.number, form);
  const std::string text = address_text(value.version, value.address);
  const auto bits = key.bits(value.version);
  return bits ? text + "/" + std::to_string(*bits) : text;
}

std::string value_text(FieldType type, const RowValue& value, Audience audience, TimeForm form) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* real = std::get_if<double>(&value)) return real_text(type, *real, audience);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (!whole) return {};
  if (audience == Audience::person) return for_people(type, *whole);
  if (type == FieldType::time && form == TimeForm::iso) {
    char text[kUtcText];
    return {text, write_utc(text, *whole)};
  }
  return std::to_string(*whole);
}

std::string name_in(TimeForm form, const std::string& name) {
  const std::size_t from = end_of_prefix(name);
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string bare = name.substr(from, slash - from);
  if (form == TimeForm::ns && bare != "duration") return name;
  const TimeNames in_ns = time_names(TimeForm::ns), names = time_names(form);
  std::string_view other = bare;
  if (bare == in_ns.start || bare == "start") other = names.start;
  else if (bare == in_ns.end || bare == "end") other = names.end;
  else if (bare == in_ns.connection) other = names.connection;
  else if (bare == in_ns.handshake) other = names.handshake;
  else if (bare == "duration") other = names.duration;
  else if (bare == kSpreadKey && form == TimeForm::us) other = "time_us";
  return name.substr(0, from) + std::string(other) + name.substr(slash);
}

std::string field_title(const std::string& name) {
  if (const std::size_t from = end_of_prefix(name); from > 0) {
    std::string prefix = capitals(name.substr(0, from - 1));
    if (prefix == "SHARE") prefix = "SHARE OF";
    return prefix + " " + field_title(name.substr(from));
  }
  const std::size_t slash = std::min(name.find('/'), name.size());  // of the keys of sums
  const std::string_view bare = std::string_view(name).substr(0, slash);
  for (const auto& [field, title] : kTitles) {
    if (field == bare) return std::string(title) + name.substr(slash);
  }
  return capitals(name);
}

bool is_text(FieldType type, Audience audience, TimeForm form) {
  if (type == FieldType::time && form == TimeForm::iso) return true;
  if (type == FieldType::address || type == FieldType::endpoint) return true;
  if (type == FieldType::text || type == FieldType::texts) return true;
  return audience == Audience::person && (type == FieldType::protocol || type == FieldType::flags ||
                                          type == FieldType::end_reason || type == FieldType::time);
}

bool tells_of_trouble(const std::string& name) {
  static constexpr std::string_view kTroubles[] = {
      "retransmitted_segments", "retransmission_share", "duplicate_packets", "out_of_order_segments",
      "missing_bytes",          "zero_window_count",    "stray_segments"};
  return std::find(std::begin(kTroubles), std::end(kTroubles), name) != std::end(kTroubles);
}

}  // namespace warpmeter::inline command
