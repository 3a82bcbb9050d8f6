#include "command/show/column_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include "analysis/query/literal.h"
#include "warpmeter/columns.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {
namespace {

// The other direction of a biflow has reverse elements (RFC 5103), which follow from these.
constexpr ColumnNames kNames[] = {
    {"src_addr", "sourceIPv4Address sourceIPv6Address", "id.orig_h", "source.ip"},
    {"dst_addr", "destinationIPv4Address destinationIPv6Address", "id.resp_h", "destination.ip"},
    {"src_port", "sourceTransportPort", "id.orig_p", "source.port"},
    {"dst_port", "destinationTransportPort", "id.resp_p", "destination.port"},
    {"protocol", "protocolIdentifier", "proto", "network.iana_number network.transport"},
    {"version", "ipVersion", "", "network.type"},
    {"start_ns", "flowStartNanoseconds", "ts", "event.start"},
    {"start_us", "flowStartMicroseconds", "ts", "event.start"},
    {"end_ns", "flowEndNanoseconds", "", "event.end"},
    {"end_us", "flowEndMicroseconds", "", "event.end"},
    {"duration_ns", "", "duration", "event.duration"},
    {"duration_us", "flowDurationMicroseconds", "duration", "event.duration"},
    {"packets", "packetDeltaCount", "orig_pkts", "source.packets"},
    {"bytes", "octetDeltaCount", "orig_ip_bytes", "source.bytes"},
    {"reverse_packets", "reversePacketDeltaCount", "resp_pkts", "destination.packets"},
    {"reverse_bytes", "reverseOctetDeltaCount", "resp_ip_bytes", "destination.bytes"},
    {"payload_bytes", "tcpPayloadOctetCount", "", ""},
    {"data_segments", "tcpDataSegmentCount", "", ""},
    {"retransmitted_segments", "tcpRetransmittedSegmentCount", "", ""},
    {"retransmitted_bytes", "tcpRetransmittedOctetCount", "", ""},
    {"duplicate_packets", "duplicatePacketCount", "", ""},
    {"duplicate_bytes", "duplicateOctetCount", "", ""},
    {"out_of_order_segments", "tcpOutOfOrderSegmentCount", "", ""},
    {"keep_alive_segments", "tcpKeepAliveSegmentCount", "", ""},
    {"missing_bytes", "tcpMissingOctetCount", "missed_bytes", ""},
    {"syn_count", "tcpSynTotalCount", "", ""},
    {"fin_count", "tcpFinTotalCount", "", ""},
    {"rst_count", "tcpRstTotalCount", "", ""},
    {"zero_window_count", "tcpZeroWindowCount", "", ""},
    {"tcp_flags", "tcpControlBits", "", ""},
    {"connection_bytes", "tcpConnectionOctetCount", "orig_bytes", ""},
    {"reverse_connection_bytes", "reverseTcpConnectionOctetCount", "resp_bytes", ""},
    {"connection_ns", "tcpConnectionNanoseconds", "", ""},
    {"end_reason", "flowEndReason", "", ""},
    {"stray_segments", "tcpStraySegmentCount", "", ""},
    {"vlan_id", "vlanId", "vlan", "network.vlan.id"},
    {"community_id", "", "community_id", "network.community_id"},
    {"first_packet", "firstPacketNumber", "", ""},
    {"handshake_ns", "tcpHandshakeNanoseconds", "", ""},
    {"labels", "applicationNameList", "service", "tags"},
    {"http_host", "httpRequestHost", "", ""},
    {"tls_sni", "sslServerName", "", "tls.client.server_name"},
    {"dns_name", "dnsQName", "", "dns.question.name"},
    {"direction", "flowDirection", "", "network.direction"},
    {"src_mac", "sourceMacAddress", "", ""},
    {"dst_mac", "destinationMacAddress", "", ""},
    {"outer_vlan_id", "dot1qVlanId", "", ""},
    {"inner_vlan_id", "dot1qCustomerVlanId", "", ""},
    {"tunnel_id", "tunnelIdentifier", "", ""},
    {"outer_src_addr", "tunnelSourceAddress", "", ""},
    {"outer_dst_addr", "tunnelDestinationAddress", "", ""},
    {"ttl", "ipTTL", "", ""},
    {"dscp", "ipDiffServCodePoint", "", ""},
    {"ecn", "ipCongestionNotification", "", ""},
    {"first_tcp_flags", "firstPacketTcpControlBits", "", ""},
    {"syn_mss", "synMaximumSegmentSize", "", ""},
    {"syn_window_scale", "tcpWindowScale", "", ""},
    {"syn_sack_permitted", "synSackPermitted", "", ""},
    {"syn_timestamps", "synTimestamps", "", ""},
    {"syn_window", "tcpWindowSize", "", ""},
    {"syn_options", "synOptionKinds", "", ""},
    {"source_country", "", "", "source.geo.country_iso_code"},
    {"source_city", "", "", "source.geo.city_name"},
    {"source_asn", "", "", "source.as.number"},
    {"source_as_org", "", "", "source.as.organization.name"},
    {"destination_country", "", "", "destination.geo.country_iso_code"},
    {"destination_city", "", "", "destination.geo.city_name"},
    {"destination_asn", "", "", "destination.as.number"},
    {"destination_as_org", "", "", "destination.as.organization.name"},
};

constexpr std::string_view kWarpmeter = "warpmeter";

std::string_view names_of(const ColumnNames& names, Naming naming) {
  switch (naming) {
    case Naming::ipfix: return names.ipfix;
    case Naming::zeek: return names.zeek;
    case Naming::ecs: return names.ecs;
    case Naming::usual:
    case Naming::unitless: break;
  }
  return {};
}

std::vector<std::string> parted(std::string_view names) {
  std::vector<std::string> parts;
  while (!names.empty()) {
    const std::size_t blank = std::min(names.find(' '), names.size());
    parts.emplace_back(names.substr(0, blank));
    names.remove_prefix(std::min(blank + 1, names.size()));
  }
  return parts;
}

constexpr std::string_view kReverseElement = "reverse";

std::string reverse_element(std::string name) {
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return std::string(kReverseElement) + name;
}

std::string_view names_of(Naming naming, std::string_view column) {
  const auto found = std::ranges::find(kNames, column, &ColumnNames::column);
  return found == std::end(kNames) ? std::string_view() : names_of(*found, naming);
}

RowValue address_of_version(const Biflow& flow, std::uint8_t version, bool source) {
  if (flow.forward.key.version != version) return {};
  const Field::Kind kind = source ? Field::Kind::source_address : Field::Kind::destination_address;
  return field_value({kind}, flow, kNoAnnotations, TimeForm::ns);
}

template <std::uint8_t kVersion, bool kSource>
RowValue address_of(const Biflow& flow, const Annotations&, TimeForm) {
  return address_of_version(flow, kVersion, kSource);
}

template <Field::Kind kPort>
RowValue real_port(const Biflow& flow, const Annotations& noted, TimeForm form) {
  return has_ports(flow.forward.key.protocol) ? field_value({kPort}, flow, noted, form) : RowValue();
}

RowValue transport(const Biflow& flow, const Annotations&, TimeForm) {
  const std::uint8_t protocol = flow.forward.key.protocol;
  if (protocol == kProtocolIcmpV6) return std::string("ipv6-icmp");
  const std::string_view name = protocol_name(protocol);
  return name.empty() ? RowValue() : RowValue(std::string(name));
}

RowValue ip_type(const Biflow& flow, const Annotations&, TimeForm) {
  return std::string(flow.forward.key.version == 6 ? "ipv6" : "ipv4");
}

RowValue event_start(const Biflow& flow, const Annotations&, TimeForm form) {
  return in_unit_of(form, times_of_both(flow).first);
}

RowValue event_end(const Biflow& flow, const Annotations&, TimeForm form) {
  return in_unit_of(form, times_of_both(flow).second);
}

RowValue event_duration(const Biflow& flow, const Annotations&, TimeForm) {
  const auto [start, end] = times_of_both(flow);
  return span_between(start, end);
}

// Texts of digits; anything else is no number.
RowValue as_number(RowValue value) {
  const auto* const text = std::get_if<std::string>(&value);
  std::int64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ptr != text->data() + text->size())
    return {};
  return number;
}

// As flowDirection has it.
RowValue direction_number(RowValue value) {
  const auto* const text = std::get_if<std::string>(&value);
  if (!text) return {};
  return std::int64_t{*text != "ingress"};
}

constexpr OtherValue kOthers[] = {
    {Naming::ipfix, "sourceIPv4Address", FieldType::address, address_of<4, true>},
    {Naming::ipfix, "sourceIPv6Address", FieldType::address, address_of<6, true>},
    {Naming::ipfix, "destinationIPv4Address", FieldType::address, address_of<4, false>},
    {Naming::ipfix, "destinationIPv6Address", FieldType::address, address_of<6, false>},
    {Naming::ipfix, "flowDirection", FieldType::number, nullptr, direction_number},
    {Naming::ecs, "source.port", FieldType::port, real_port<Field::Kind::source_port>},
    {Naming::ecs, "destination.port", FieldType::port, real_port<Field::Kind::destination_port>},
    {Naming::ecs, "network.transport", FieldType::text, transport},
    {Naming::ecs, "network.type", FieldType::text, ip_type},
    {Naming::ecs, "event.start", FieldType::time, event_start, nullptr, TimeText::utc},
    {Naming::ecs, "event.end", FieldType::time, event_end, nullptr, TimeText::utc},
    {Naming::ecs, "event.duration", FieldType::number, event_duration},
    {Naming::ecs, "source.as.number", FieldType::number, nullptr, as_number},
    {Naming::ecs, "destination.as.number", FieldType::number, nullptr, as_number},
};

}  // namespace

std::span<const ColumnNames> column_names() { return kNames; }

bool has_ports(std::uint8_t protocol) {
  return protocol == kProtocolTcp || protocol == kProtocolUdp || protocol == kProtocolDccp ||
         protocol == kProtocolSctp || protocol == kProtocolUdpLite;
}

std::pair<std::int64_t, std::int64_t> times_of_both(const Biflow& flow) {
  if (!flow.has_reverse) return {flow.forward.start_ns, flow.forward.end_ns};
  return {std::min(flow.forward.start_ns, flow.reverse.start_ns), std::max(flow.forward.end_ns, flow.reverse.end_ns)};
}

std::vector<std::string> names_in(Naming naming, const std::string& column) {
  if (naming == Naming::usual) return {column};
  if (const std::string_view names = names_of(naming, column); !names.empty()) return parted(names);
  if (naming == Naming::ipfix && column.starts_with(kReversePrefix)) {
    const std::string forward(names_of(naming, std::string_view(column).substr(kReversePrefix.size())));
    if (!forward.empty() && forward.find(' ') == std::string::npos) return {reverse_element(forward)};
  }
  return {std::string(kWarpmeter) + (naming == Naming::ecs ? "." : "_") + column};
}

std::string column_of(Naming naming, const std::string& name) {
  for (const ColumnNames& names : kNames) {
    const std::string reverse = std::string(kReversePrefix).append(names.column);
    for (const std::string& part : parted(names_of(names, naming))) {
      if (part == name) return std::string(names.column);
      if (naming == Naming::ipfix && reverse_element(part) == name && Field::of(reverse)) return reverse;
    }
  }
  return {};
}

const OtherValue* other_value(Naming naming, std::string_view name) {
  const auto is_it = [&](const OtherValue& other) { return other.naming == naming && other.name == name; };
  if (const auto found = std::ranges::find_if(kOthers, is_it); found != std::end(kOthers)) return &*found;
  const std::span<const OtherValue> of_zeek = conn_log_values();
  const auto found = std::ranges::find_if(of_zeek, is_it);
  return found == of_zeek.end() ? nullptr : &*found;
}

}  // namespace warpmeter::inline command
