#include "packet/segments/set_facts.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/words/json_value_text.h"
#include "core/unread_layers.h"
#include "packet/file/limits.h"
#include "packet/segments/segment_format.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

using Json = nlohmann::ordered_json;

void require(bool holds) {
  if (!holds) throw Error("its facts make no sense");
}

// What the library makes of other kinds of numbers, or of larger ones, nobody said.
template <class T>
void get_number(const Json& json, T& to) {
  if constexpr (std::is_signed_v<T>) {
    require(json.is_number_integer() && (!json.is_number_unsigned() || json.get<std::uint64_t>() <= INT64_MAX));
    to = json.get<std::int64_t>();
  } else {
    require(json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<T>::max());
    to = json.get<T>();
  }
}

const Json& list_in(const Json& json, const char* name) {
  const Json& list = json.at(name);
  require(list.is_array());
  return list;
}

void get_time(const Json& json, std::int64_t& to) {
  get_number(json, to);
  require(to >= -kMaxTimeNs && to <= kMaxTimeNs);
}

Json options_json(const SetOptions& o) {
  Json ports = Json::object();
  for (std::size_t i = 0; i < kUdpTunnels; ++i)
    ports[kUdpTunnelNames[i]] = o.tunnel_ports.of(static_cast<UdpTunnel>(i));
  return {{"key_vlan", o.key_vlan},
          {"decapsulate", o.decapsulate},
          {"tunnel_ports", ports},
          {"filter", o.filter},
          {"seed_mark", o.seed_mark}};
}

TunnelPorts tunnel_ports_of(const Json& json) {
  TunnelPorts ports;
  for (std::size_t i = 0; i < kUdpTunnels; ++i) {
    TunnelPorts::Ports of_kind;
    for (const Json& port : list_in(json, kUdpTunnelNames[i])) get_number(port, of_kind.emplace_back());
    ports.set(static_cast<UdpTunnel>(i), std::move(of_kind));
  }
  return ports;
}

SetOptions options_of(const Json& json) {
  SetOptions o;
  json.at("key_vlan").get_to(o.key_vlan);
  json.at("decapsulate").get_to(o.decapsulate);
  o.tunnel_ports = tunnel_ports_of(json.at("tunnel_ports"));
  json.at("filter").get_to(o.filter);
  get_number(json.at("seed_mark"), o.seed_mark);
  return o;
}

// Pairs of a number and how often it came.
Json sparse_json(const SparseCounts& counts) {
  Json json = Json::array();
  counts.for_each([&json](std::uint32_t number, std::uint64_t count) { json.push_back({number, count}); });
  return json;
}

SparseCounts sparse_counts_of(const Json& json, std::uint32_t numbers) {
  SparseCounts counts;
  require(json.is_array());
  for (const Json& pair : json) {
    std::uint32_t number = 0;
    std::uint64_t count = 0;
    require(pair.is_array() && pair.size() == 2);
    get_number(pair[0], number);
    get_number(pair[1], count);
    require(number < numbers);
    counts.add(number, count);
  }
  return counts;
}

Json counters_json(const DecodeCounters& c) {
  Json ignored = Json::object();
  for (int i = 0; i < kIgnoredByDecoding; ++i) ignored[kIgnoredNames[i]] = c.ignored[i];
  return {{"frames", c.frames},
          {"metered", c.metered},
          {"sharing_frame", c.sharing_frame},
          {"ignored", ignored},
          {"ignored_bytes", c.ignored_bytes},
          {"decapsulated", c.decapsulated},
          {"short_transport_headers", c.short_transport_headers},
          {"malformed_segments", c.malformed_segments},
          {"uncaptured_tcp_headers", c.uncaptured_tcp_headers},
          {"cut_tcp_headers", c.cut_tcp_headers},
          {"not_ip", sparse_json(c.not_ip)},
          {"unopened_tunnels", sparse_json(c.unopened_tunnels)}};
}

DecodeCounters counters_of(const Json& json) {
  DecodeCounters c;
  get_number(json.at("frames"), c.frames);
  get_number(json.at("metered"), c.metered);
  get_number(json.at("sharing_frame"), c.sharing_frame);
  for (int i = 0; i < kIgnoredByDecoding; ++i) get_number(json.at("ignored").at(kIgnoredNames[i]), c.ignored[i]);
  get_number(json.at("ignored_bytes"), c.ignored_bytes);
  get_number(json.at("decapsulated"), c.decapsulated);
  get_number(json.at("short_transport_headers"), c.short_transport_headers);
  get_number(json.at("malformed_segments"), c.malformed_segments);
  get_number(json.at("uncaptured_tcp_headers"), c.uncaptured_tcp_headers);
  get_number(json.at("cut_tcp_headers"), c.cut_tcp_headers);
  c.not_ip = sparse_counts_of(json.at("not_ip"), kProtocolSpaces << 16);
  c.unopened_tunnels = sparse_counts_of(json.at("unopened_tunnels"), kTunnelKinds * kUnopened);
  require(c.frames <= kMostSetFrames && c.sharing_frame <= c.frames * kMostFrameSegments &&
          c.metered <= c.frames + c.sharing_frame && c.sharing_frame <= c.metered);
  return c;
}

Json findings_json(const TraceFindings& f) {
  Json damage = Json::array(), odd_fractions = Json::array(), runs_back = Json::array();
  for (const Damage& d : f.damage) {
    damage.push_back({{"file", d.file}, {"offset", d.offset}, {"reason", d.reason}, {"skipped", d.skipped}});
  }
  for (const OddFractions& o : f.odd_fractions) odd_fractions.push_back({{"file", o.file}, {"offset", o.offset}});
  for (const ClockRegression& t : f.time_runs_back) {
    runs_back.push_back({{"from", t.from}, {"to", t.to}, {"by_ns", t.by_ns}});
  }
  return {{"damage", damage},
          {"skipped_places", f.skips.places},
          {"skipped_bytes", f.skips.bytes},
          {"skipped_untold", f.skips.untold},
          {"unreadable", f.unreadable},
          {"files_again", f.files_again},
          {"clamped_times", f.clamped_times},
          {"odd_fractions", odd_fractions},
          {"time_runs_back_count", f.time_runs_back_count},
          {"time_runs_back", runs_back}};
}

TraceFindings findings_of(const Json& json) {
  TraceFindings f;
  for (const Json& d : list_in(json, "damage")) {
    Damage& damage = f.damage.emplace_back(Damage{d.at("file"), 0, d.at("reason")});
    get_number(d.at("offset"), damage.offset);
    if (d.contains("skipped")) get_number(d.at("skipped"), damage.skipped);
  }
  if (json.contains("skipped_places")) {  // earlier versions wrote none of these
    get_number(json.at("skipped_places"), f.skips.places);
    get_number(json.at("skipped_bytes"), f.skips.bytes);
    get_number(json.at("skipped_untold"), f.skips.untold);
    for (const Json& o : list_in(json, "odd_fractions")) {
      get_number(o.at("offset"), f.odd_fractions.emplace_back(OddFractions{o.at("file"), 0}).offset);
    }
  }
  json.at("unreadable").get_to(f.unreadable);
  get_number(json.at("files_again"), f.files_again);
  get_number(json.at("clamped_times"), f.clamped_times);
  get_number(json.at("time_runs_back_count"), f.time_runs_back_count);
  for (const Json& t : list_in(json, "time_runs_back")) {
    get_number(t.at("by_ns"), f.time_runs_back.emplace_back(ClockRegression{t.at("from"), t.at("to"), 0}).by_ns);
  }
  return f;
}

}  // namespace

Json set_facts_value(const SetFacts& facts) {
  return {{"options", options_json(facts.options)},
          {"inputs", facts.inputs},
          {"links", facts.links},
          {"first_ns", facts.first_ns},
          {"latest_ns", facts.latest_ns},
          {"latest_segment_ns", facts.latest_segment_ns},
          {"counters", counters_json(facts.counters)},
          {"findings", findings_json(facts.findings)}};
}

std::string set_facts_json(const SetFacts& facts) { return json_text(set_facts_value(facts)); }

SetFacts parse_set_facts(std::string_view text) {
  try {
    const Json json = json_of_text(text);
    SetFacts facts;
    facts.options = options_of(json.at("options"));
    json.at("inputs").get_to(facts.inputs);
    for (const Json& link : list_in(json, "links")) get_number(link, facts.links.emplace_back());
    get_time(json.at("first_ns"), facts.first_ns);
    get_time(json.at("latest_ns"), facts.latest_ns);
    get_time(json.at("latest_segment_ns"), facts.latest_segment_ns);
    facts.counters = counters_of(json.at("counters"));
    facts.findings = findings_of(json.at("findings"));
    return facts;
  } catch (const Json::exception&) {
    throw Error("its facts make no sense");
  }
}

}  // namespace warpmeter::inline packet
