#include "analysis/query/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/words/printable.h"
#include "core/noted_columns.h"
#include "record/columns/column_option.h"

namespace warpmeter::inline analysis {
namespace {

using Kind = Field::Kind;

struct Named {
  std::string_view name;
  Kind kind;
  FieldType type;
};

// The first name of a kind is the one that is written.
constexpr Named kNamed[] = {
    {"src_addr", Kind::source_address, FieldType::address},
    {"dst_addr", Kind::destination_address, FieldType::address},
    {"addr", Kind::either_address, FieldType::address},
    {"net", Kind::either_address, FieldType::address},
    {"src_port", Kind::source_port, FieldType::port},
    {"dst_port", Kind::destination_port, FieldType::port},
    {"port", Kind::either_port, FieldType::port},
    {"source", Kind::source, FieldType::endpoint},
    {"destination", Kind::destination, FieldType::endpoint},
    {"protocol", Kind::protocol, FieldType::protocol},
    {"proto", Kind::protocol, FieldType::protocol},
    {"start_ns", Kind::start, FieldType::time},
    {"start", Kind::start, FieldType::time},
    {"end_ns", Kind::end, FieldType::time},
    {"end", Kind::end, FieldType::time},
    {"duration", Kind::duration, FieldType::span},
    {"duration_ns", Kind::duration, FieldType::span},
    {"version", Kind::version, FieldType::number},
    {"vlan_id", Kind::vlan, FieldType::number},
    {"retransmission_share", Kind::retransmission_share, FieldType::share},
    {"handshake_ns", Kind::handshake, FieldType::span},
    {"handshake", Kind::handshake, FieldType::span},
    {"unanswered", Kind::unanswered, FieldType::number},
    {"community_id", Kind::community_id, FieldType::text},
    {kFirstPacketColumn, Kind::first_packet, FieldType::number},
};

// The Flow Key's parts are those of the forward direction, swapped.
bool of_both_directions(Kind kind) {
  return kind == Kind::start || kind == Kind::end || kind == Kind::duration || kind == Kind::retransmission_share ||
         kind == Kind::first_packet;
}

FieldType type_of(Unit unit) {
  switch (unit) {
    case Unit::bytes: return FieldType::bytes;
    case Unit::nanoseconds: return FieldType::span;
    case Unit::flags: return FieldType::flags;
    case Unit::end_reason: return FieldType::end_reason;
    case Unit::packets:
    case Unit::times: break;
  }
  return FieldType::number;
}

FieldType type_of(AnnexField field) {
  if (field == AnnexField::first_tcp_flags) return FieldType::flags;
  return facts_of(field).text ? FieldType::text : FieldType::number;
}

std::int64_t duration_of(const FlowRecord& record) { return span_between(record.start_ns, record.end_ns); }

// Letters put in, left out, replaced, and two neighbours exchanged.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({row[j + 1] + 1, next[j] + 1, row[j] + (a[i] != b[j])});
      const bool exchanged = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (exchanged) next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row.back();
}

constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"src_addr", "source address"},
    {"dst_addr", "destination address"},
    {"addr", "source or destination address"},
    {"net", "the same as addr"},
    {"src_port", "source port; of ICMP 0"},
    {"dst_port", "destination port; of ICMP type * 256 + code"},
    {"port", "source or destination port"},
    {"source", "source address and port"},
    {"destination", "destination address and port"},
    {"protocol", "IP protocol"},
    {"proto", "the same as protocol"},
    {"start_ns", "time of the earliest packet"},
    {"start", "the same as start_ns"},
    {"end_ns", "time of the latest packet"},
    {"end", "the same as end_ns"},
    {"duration", "from start to end"},
    {"duration_ns", "from start to end; the same as duration"},
    {"version", "IP version, 4 or 6"},
    {"vlan_id", "outermost VLAN id, where --key-vlan made it part of the Flow Key"},
    {"retransmission_share", "retransmitted_segments of data_segments"},
    {"handshake_ns", "of a biflow, from the SYN to the SYN+ACK, where each was seen once"},
    {"handshake", "the same as handshake_ns"},
    {"unanswered", "of a biflow: the other direction was not seen; alone, as in -f 'tcp and unanswered'"},
    {"community_id", "hash of the Flow Key that other programs log, with seed 0"},
    {kFirstPacketColumn, "number of the flow's first packet in the trace, from 1; nothing where a file does not tell"},
    {"packets", "all packets, duplicates too"},
    {"bytes", "their lengths by the IP header"},
    {"payload_bytes", "TCP payload of the data segments"},
    {"data_segments", "TCP segments with payload, without duplicates and without those with RST"},
    {"retransmitted_segments", "data segments with at least one byte that was seen before"},
    {"retransmitted_bytes", "the bytes that were seen before"},
    {"duplicate_packets", "copies of packets, made by a mirror port"},
    {"duplicate_bytes", "their lengths by the IP header"},
    {"out_of_order_segments", "data segments below the highest byte seen, with nothing that was seen before"},
    {"keep_alive_segments", "segments of 0 or 1 byte just below the highest byte seen"},
    {"missing_bytes", "never seen between the lowest and the highest sequence number"},
    {"syn_count", "segments with SYN"},
    {"fin_count", "segments with FIN"},
    {"rst_count", "segments with RST"},
    {"zero_window_count", "segments that announce a window of 0"},
    {"tcp_flags", "OR of the flags of all segments"},
    {"connection_bytes", "payload of the connection, from SYN to FIN, where both were seen"},
    {"connection_ns", "time of the connection, from SYN to FIN, where both were seen"},
    {"end_reason", "why the flow ended"},
    {"stray_segments", "segments whose sequence number does not fit the flow"},
    {"source_country", "country of the source by --geo, as ISO 3166 has it: DE"},
    {"destination_country", "country of the destination by --geo"},
    {"host_country", "source_country or destination_country; in filters and sums"},
    {"source_city", "city of the source by --geo, in English"},
    {"destination_city", "city of the destination by --geo"},
    {"host_city", "source_city or destination_city; in filters and sums"},
    {"source_asn", "number of the autonomous system of the source by --geo"},
    {"destination_asn", "number of the autonomous system of the destination by --geo"},
    {"host_asn", "source_asn or destination_asn; in filters and sums"},
    {"source_as_org", "organization of the autonomous system of the source by --geo"},
    {"destination_as_org", "organization of the autonomous system of the destination by --geo"},
    {"host_as_org", "source_as_org or destination_as_org; in filters and sums"},
    {kLabelsName, "what the flow is, by the policy of extract --policy: none, one or several labels"},
};

}  // namespace

std::optional<Field> Field::of(std::string_view name) {
  const bool reverse = name.starts_with(kReversePrefix);
  if (reverse) name.remove_prefix(kReversePrefix.size());
  for (const Named& named : kNamed) {
    if (named.name != name) continue;
    if (reverse && !of_both_directions(named.kind)) return std::nullopt;
    return Field{named.kind, 0, reverse};
  }
  if (name == kLabelsName && !reverse) return of_annotation(name);
  if (const auto field = annex_field(name)) return Field{Kind::annex, static_cast<std::uint8_t>(*field), reverse};
  const std::size_t column = column_number(name);
  if (column == kColumns.size()) return std::nullopt;
  return Field{Kind::column, static_cast<std::uint8_t>(column), reverse};
}

std::optional<Field> Field::of_annotation(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  if (name.empty() || name.size() > kLongest || (name.front() >= '0' && name.front() <= '9')) return std::nullopt;
  AnnotationNames& names = AnnotationNames::of_process();
  if (const std::string_view fact = geo_fact(name, kGeoEither); !fact.empty()) {
    const auto source = names.number(std::string(kGeoSource).append(fact));
    const auto destination = names.number(std::string(kGeoDestination).append(fact));
    if (source && destination) return Field{Kind::either_annotation, 0, false, *source, *destination};
  }
  const std::optional<std::uint32_t> number = names.number(name);
  return number ? std::optional(Field{Kind::annotation, 0, false, *number}) : std::nullopt;
}

FieldType Field::type() const {
  if (kind == Kind::column) return type_of(kColumns[column].unit);
  if (kind == Kind::either_annotation) return FieldType::text;
  if (kind == Kind::annotation) return name() == kLabelsName ? FieldType::texts : FieldType::text;
  if (kind == Kind::annex) return type_of(static_cast<AnnexField>(column));
  for (const Named& named : kNamed) {
    if (named.kind == kind) return named.type;
  }
  return FieldType::number;
}

std::string Field::name() const {
  std::string text(reverse ? kReversePrefix : "");
  if (kind == Kind::column) return text += kColumns[column].name;
  if (kind == Kind::annex) return text += kAnnexFacts[column].name;
  if (kind == Kind::annotation) return AnnotationNames::of_process().name(annotation);
  if (kind == Kind::either_annotation)
    return std::string(kGeoEither) + AnnotationNames::of_process().name(annotation).substr(kGeoSource.size());
  for (const Named& named : kNamed) {
    if (named.kind == kind) return text += named.name;
  }
  return text;
}

const FlowRecord* record_of(Field field, const Biflow& flow) {
  if (!field.reverse) return &flow.forward;
  return flow.has_reverse ? &flow.reverse : nullptr;
}

bool has_noted_column(const ExtraColumns& columns, std::string_view name) {
  const std::string_view fact = geo_fact(name, kGeoEither);
  const std::string column = fact.empty() ? std::string(name) : std::string(kGeoSource).append(fact);
  return std::ranges::find(columns, column, &ExtraColumn::name) != columns.end();
}

std::string missing_geo_column(std::string_view name) {
  if (!is_geo_column(name) && geo_fact(name, kGeoEither).empty()) return {};
  return fmt::format("'{}' is a column that --geo FILE.mmdb adds", name);
}

std::string annotation_text(Field field, const Annotations& noted) {
  if (field.kind == Kind::annex) {
    const Annex* const annex = noted.annex(field.reverse);
    char text[facts_of(AnnexField::syn_options).text];
    if (!annex) return {};
    return {text, annex->write(text, static_cast<AnnexField>(field.column))};
  }
  if (field.type() == FieldType::text) return std::string(noted.first_of(field.annotation));
  return fmt::format("{}", fmt::join(noted.list_of(field.annotation), ";"));
}

std::optional<std::int64_t> whole_value(Field field, const Biflow& flow) {
  if (field.kind == Kind::handshake) return handshake_of(flow.forward, flow.has_reverse ? &flow.reverse : nullptr);
  if (field.kind == Kind::unanswered) return flow.of_biflows ? std::optional(!flow.has_reverse) : std::nullopt;
  const FlowRecord* record = record_of(field, flow);
  return record ? whole_value(field, *record) : std::nullopt;
}

std::optional<std::int64_t> whole_value(Field field, const Biflow& flow, const Annotations& noted) {
  if (field.kind != Kind::annex) return whole_value(field, flow);
  const Annex* const annex = noted.annex(field.reverse);
  return annex ? annex->number(static_cast<AnnexField>(field.column)) : std::nullopt;
}

std::optional<std::int64_t> whole_value(Field field, const FlowRecord& record) {
  switch (field.kind) {
    case Kind::column: return column_value(field.column, record, record.absent);
    case Kind::source_port: return port_number(record.key.source_port);
    case Kind::destination_port: return port_number(record.key.destination_port);
    case Kind::protocol: return record.key.protocol;
    case Kind::start: return record.start_ns;
    case Kind::end: return record.end_ns;
    case Kind::duration: return duration_of(record);
    case Kind::vlan: return port_number(record.key.vlan);
    case Kind::version: return record.key.version;
    case Kind::first_packet: return first_packet_of(record);
    default: return std::nullopt;
  }
}

std::optional<double> retransmission_share(const FlowRecord& record) {
  constexpr std::size_t kRetransmitted = column_number("retransmitted_segments"),
                        kData = column_number("data_segments");
  const auto retransmitted = column_value(kRetransmitted, record, record.absent);
  const auto data = column_value(kData, record, record.absent);
  if (!retransmitted || !data || *data == 0) return std::nullopt;
  return static_cast<double>(*retransmitted) / static_cast<double>(*data);
}

std::vector<std::string> field_names() {
  std::vector<std::string> names;
  for (const Named& named : kNamed) names.emplace_back(named.name);
  for (const Column& column : kColumns) names.emplace_back(column.name);
  names.emplace_back(kLabelsName);
  for (const AnnexFacts& annex : kAnnexFacts) names.emplace_back(annex.name);
  return names;
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4, kShortestPart = 3;
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : names) {
    const std::size_t distance = edit_distance(name, candidate);
    const bool part = name.size() >= kShortestPart && candidate.find(name) != std::string::npos;
    if (part || distance <= std::max(name.size(), candidate.size()) / 3) found.emplace_back(distance, candidate);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> best;
  for (std::size_t i = 0; i < std::min(kMost, found.size()); ++i) best.push_back(found[i].second);
  return best;
}

std::string no_such_field(std::string_view name, std::vector<std::string> names) {
  if (std::string geo = missing_geo_column(name); !geo.empty()) return geo;
  std::string bare(name), prefix;
  if (name.starts_with(kReversePrefix)) {
    prefix = kReversePrefix;
    bare.erase(0, prefix.size());
    std::erase_if(names, [&](const std::string& other) { return !Field::of(prefix + other); });
  }
  std::string text = fmt::format("'{}' is no column", shortened(name));
  const char* before = " (near: ";
  for (const std::string& near : near_names(bare, names)) {
    text += std::exchange(before, ", ") + prefix + near;
  }
  return *before == ',' ? text + ")" : text + " (see show --help)";
}

std::string_view meaning_of(std::string_view name) {
  for (const auto& [field, meaning] : kMeanings) {
    if (field == name) return meaning;
  }
  if (const auto annex = annex_field(name)) return facts_of(*annex).meaning;
  return {};
}

}  // namespace warpmeter::inline analysis
