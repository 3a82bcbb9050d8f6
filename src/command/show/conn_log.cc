// What Zeek's conn.log has of a connection, as far as a biflow tells it. docs/coming-from.md says how each value
// follows, and what nobody can know from counts.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/show/column_names.h"
#include "record/columns/column_option.h"
#include "warpmeter/columns.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {
namespace {

// Of one direction; nothing where it is not known. Without an answer, what TCP counts of it is 0.
std::optional<std::int64_t> count_of(std::string_view column, const Biflow& flow, bool reverse) {
  if (reverse && !flow.of_biflows && !flow.has_reverse) return std::nullopt;
  const std::size_t number = column_number(column);
  if (!reverse) return column_value(number, flow.forward, flow.forward.absent);
  if (flow.has_reverse) return column_value(number, flow.reverse, flow.reverse.absent);
  const bool applies = !kColumns[number].tcp_only || flow.forward.key.protocol == kProtocolTcp;
  return applies && !(flow.forward.absent >> number & 1) ? std::optional<std::int64_t>(0) : std::nullopt;
}

RowValue optional_value(std::optional<std::int64_t> value) { return value ? RowValue(*value) : RowValue(); }

bool is_icmp(const Biflow& flow) {
  return flow.forward.key.protocol == kProtocolIcmp || flow.forward.key.protocol == kProtocolIcmpV6;
}

RowValue zeek_start(const Biflow& flow, const Annotations&, TimeForm form) {
  return in_unit_of(form, times_of_both(flow).first);
}

RowValue zeek_duration(const Biflow& flow, const Annotations&, TimeForm form) {
  const auto [start, end] = times_of_both(flow);
  return duration_in(form, start, end);
}

// The same for the same connection in any file: "C" and digits of base 62, as Zeek's are.
RowValue zeek_uid(const Biflow& flow, const Annotations&, TimeForm) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::size_t kHalf = 8;
  std::string known = community_id_of(flow.forward.key);
  const std::int64_t start = times_of_both(flow).first;
  known.append(reinterpret_cast<const char*>(&start), sizeof start);
  std::string uid = "C";
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a, twice over, for two halves
  for (int half = 0; half < 2; ++half) {
    for (const char c : known) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::uint64_t left = hash ^ hash >> 29;
    for (std::size_t i = 0; i < kHalf; ++i, left /= kDigits.size()) uid += kDigits[left % kDigits.size()];
  }
  return uid;
}

// Zeek has an ICMP type and code in place of ports.
RowValue zeek_orig_port(const Biflow& flow, const Annotations&, TimeForm) {
  const FlowKey& key = flow.forward.key;
  return std::int64_t{is_icmp(flow) ? key.destination_port[0] : port_number(key.source_port)};
}

RowValue zeek_resp_port(const Biflow& flow, const Annotations&, TimeForm) {
  const FlowKey& key = flow.forward.key;
  return std::int64_t{is_icmp(flow) ? key.destination_port[1] : port_number(key.destination_port)};
}

RowValue zeek_protocol(const Biflow& flow, const Annotations&, TimeForm) {
  if (is_icmp(flow)) return std::string("icmp");
  switch (flow.forward.key.protocol) {
    case kProtocolTcp: return std::string("tcp");
    case kProtocolUdp: return std::string("udp");
    default: return std::string("unknown_transport");
  }
}

RowValue with_commas(RowValue value) {
  if (auto* const text = std::get_if<std::string>(&value)) std::ranges::replace(*text, ';', ',');
  return value;
}

// By sequence numbers: those of SYN and FIN, or else from the lowest to the highest byte.
template <bool kReverse>
RowValue zeek_bytes(const Biflow& flow, const Annotations&, TimeForm) {
  if (const auto connection = count_of("connection_bytes", flow, kReverse);
      connection && *connection >= 0 && flow.has_reverse >= kReverse)
    return *connection;
  const auto payload = count_of("payload_bytes", flow, kReverse),
             again = count_of("retransmitted_bytes", flow, kReverse),
             missing = count_of("missing_bytes", flow, kReverse);
  if (!payload || !again || !missing) return {};
  return *payload - *again + *missing;
}

template <bool kReverse>
RowValue zeek_packets(const Biflow& flow, const Annotations&, TimeForm) {
  return optional_value(count_of("packets", flow, kReverse));
}

template <bool kReverse>
RowValue zeek_ip_bytes(const Biflow& flow, const Annotations&, TimeForm) {
  return optional_value(count_of("bytes", flow, kReverse));
}

RowValue zeek_missed(const Biflow& flow, const Annotations&, TimeForm) {
  const auto there = count_of("missing_bytes", flow, false), back = count_of("missing_bytes", flow, true);
  if (!there && !back) return {};
  return there.value_or(0) + back.value_or(0);
}

// Which of SYN, FIN and RST a direction had.
struct Seen {
  bool syn, fin, rst;
};

std::optional<Seen> seen_of(const Biflow& flow, bool reverse) {
  const auto syn = count_of("syn_count", flow, reverse), fin = count_of("fin_count", flow, reverse),
             rst = count_of("rst_count", flow, reverse);
  if (!syn || !fin || !rst) return std::nullopt;
  return Seen{*syn > 0, *fin > 0, *rst > 0};
}

// Nothing but SYN+ACKs of whom nobody saw the SYN: what seems to begin here answers.
bool has_syn_acks_alone(const Biflow& flow) {
  constexpr std::int64_t kAck = 0x10;
  const auto packets = count_of("packets", flow, false), duplicates = count_of("duplicate_packets", flow, false),
             syns = count_of("syn_count", flow, false), flags = count_of("tcp_flags", flow, false);
  return packets && syns && flags && (*flags & kAck) && *packets - duplicates.value_or(0) == *syns;
}

// An answer of the handshake is a segment of the originator without SYN.
bool is_established(const Biflow& flow, const Seen& orig, const Seen& resp) {
  const auto packets = count_of("packets", flow, false), duplicates = count_of("duplicate_packets", flow, false),
             syns = count_of("syn_count", flow, false);
  return orig.syn && resp.syn && packets && syns && *packets - duplicates.value_or(0) > *syns;
}

std::string_view tcp_state(const Biflow& flow, const Seen& orig, const Seen& resp) {
  if (resp.rst) {
    if (orig.syn) return resp.syn ? "RSTR" : "REJ";
    return resp.syn ? "RSTRH" : "OTH";
  }
  if (orig.rst) {
    if (!orig.syn) return "OTH";
    return resp.syn ? "RSTO" : "RSTOS0";
  }
  if (is_established(flow, orig, resp)) {
    if (orig.fin) return resp.fin ? "SF" : "S2";
    return resp.fin ? "S3" : "S1";
  }
  if (orig.syn && !flow.has_reverse && !has_syn_acks_alone(flow)) return orig.fin ? "SH" : "S0";
  return !orig.syn && resp.syn && resp.fin ? "SHR" : "OTH";
}

RowValue conn_state(const Biflow& flow, const Annotations&, TimeForm) {
  if (!flow.of_biflows && !flow.has_reverse) return {};
  if (flow.forward.key.protocol == kProtocolUdp) return std::string(flow.has_reverse ? "SF" : "S0");
  if (flow.forward.key.protocol != kProtocolTcp) return std::string("OTH");
  const std::optional<Seen> orig = seen_of(flow, false), resp = seen_of(flow, true);
  if (!orig || !resp) return {};
  return std::string(tcp_state(flow, *orig, *resp));
}

// Segments that are nothing else that is counted: acknowledgements alone, or a window. Where one of these is not
// counted, nobody knows.
bool has_pure_ack(const Biflow& flow, bool reverse) {
  std::int64_t left = count_of("packets", flow, reverse).value_or(0);
  for (const std::string_view other : {"duplicate_packets", "data_segments", "syn_count", "fin_count", "rst_count",
                                       "keep_alive_segments", "stray_segments"}) {
    const auto count = count_of(other, flow, reverse);
    if (!count) return false;
    left -= *count;
  }
  return left > 0;
}

// Letters that are sure, capital ones of the originator, in an order that is always the same.
RowValue history(const Biflow& flow, const Annotations&, TimeForm) {
  const std::uint8_t protocol = flow.forward.key.protocol;
  if (!flow.of_biflows && !flow.has_reverse) return {};
  if (protocol == kProtocolUdp) return std::string(flow.has_reverse ? "Dd" : "D");
  const std::optional<Seen> orig = seen_of(flow, false), resp = seen_of(flow, true);
  if (protocol != kProtocolTcp || !orig || !resp) return {};
  std::string letters = !orig->syn ? "" : has_syn_acks_alone(flow) ? "H" : "S";
  if (resp->syn) letters += 'h';
  const auto add = [&](char capital, bool there, bool back) {
    if (there) letters += capital;
    if (back) letters += static_cast<char>(capital - 'A' + 'a');
  };
  const auto has = [&](std::string_view column, bool reverse) {
    return count_of(column, flow, reverse).value_or(0) > 0;
  };
  add('A', has_pure_ack(flow, false), has_pure_ack(flow, true));
  for (const auto& [letter, column] : {std::pair<char, std::string_view>{'D', "data_segments"},
                                       {'T', "retransmitted_segments"},
                                       {'G', "missing_bytes"},
                                       {'W', "zero_window_count"}}) {
    add(letter, has(column, false), has(column, true));
  }
  add('F', orig->fin, resp->fin);
  add('R', orig->rst, resp->rst);
  return letters.empty() ? RowValue() : RowValue(letters);
}

// Of a configuration of Zeek, or of what it alone analyses.
RowValue not_known(const Biflow&, const Annotations&, TimeForm) { return {}; }

constexpr Naming kZeek = Naming::zeek;
constexpr TimeText kSeconds = TimeText::seconds;

constexpr OtherValue kConnLog[] = {
    {kZeek, "ts", FieldType::time, zeek_start, nullptr, kSeconds},
    {kZeek, "uid", FieldType::text, zeek_uid},
    {kZeek, "id.orig_p", FieldType::port, zeek_orig_port},
    {kZeek, "id.resp_p", FieldType::port, zeek_resp_port},
    {kZeek, "proto", FieldType::text, zeek_protocol, nullptr, TimeText::usual, "enum"},
    {kZeek, "service", FieldType::text, nullptr, with_commas},
    {kZeek, "duration", FieldType::span, zeek_duration, nullptr, kSeconds},
    {kZeek, "orig_bytes", FieldType::number, zeek_bytes<false>},
    {kZeek, "resp_bytes", FieldType::number, zeek_bytes<true>},
    {kZeek, "conn_state", FieldType::text, conn_state, nullptr, TimeText::usual, {}, true},
    {kZeek, "local_orig", FieldType::text, not_known, nullptr, TimeText::usual, "bool"},
    {kZeek, "local_resp", FieldType::text, not_known, nullptr, TimeText::usual, "bool"},
    {kZeek, "missed_bytes", FieldType::number, zeek_missed},
    {kZeek, "history", FieldType::text, history, nullptr, TimeText::usual, {}, true},
    {kZeek, "orig_pkts", FieldType::number, zeek_packets<false>},
    {kZeek, "orig_ip_bytes", FieldType::number, zeek_ip_bytes<false>},
    {kZeek, "resp_pkts", FieldType::number, zeek_packets<true>},
    {kZeek, "resp_ip_bytes", FieldType::number, zeek_ip_bytes<true>},
    {kZeek, "tunnel_parents", FieldType::text, not_known, nullptr, TimeText::usual, "set[string]"},
    {kZeek, "vlan", FieldType::number, nullptr, [](RowValue value) { return value; }, TimeText::usual, "int"},
};

}  // namespace

std::span<const OtherValue> conn_log_values() { return kConnLog; }

const std::vector<std::string>& conn_log_columns() {
  static const std::vector<std::string> columns = {
      "ts",           "uid",      "id.orig_h",  "id.orig_p",     "id.resp_h",  "id.resp_p",     "proto",
      "service",      "duration", "orig_bytes", "resp_bytes",    "conn_state", "local_orig",    "local_resp",
      "missed_bytes", "history",  "orig_pkts",  "orig_ip_bytes", "resp_pkts",  "resp_ip_bytes", "tunnel_parents"};
  return columns;
}

}  // namespace warpmeter::inline command
