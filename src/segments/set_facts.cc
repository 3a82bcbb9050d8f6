#include "segments/set_facts.h"

#include <nlohmann/json.hpp>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using Json = nlohmann::ordered_json;

Json options_json(const SetOptions& o) {
  return {{"key_vlan", o.key_vlan}, {"decapsulate", o.decapsulate}, {"filter", o.filter}, {"seed_mark", o.seed_mark}};
}

SetOptions options_of(const Json& json) {
  SetOptions o;
  json.at("key_vlan").get_to(o.key_vlan);
  json.at("decapsulate").get_to(o.decapsulate);
  json.at("filter").get_to(o.filter);
  json.at("seed_mark").get_to(o.seed_mark);
  return o;
}

Json counters_json(const DecodeCounters& c) {
  Json ignored = Json::object();
  for (int i = 0; i < kIgnoredReasons; ++i) ignored[kIgnoredNames[i]] = c.ignored[i];
  return {{"frames", c.frames},
          {"metered", c.metered},
          {"ignored", ignored},
          {"ignored_bytes", c.ignored_bytes},
          {"decapsulated", c.decapsulated},
          {"short_transport_headers", c.short_transport_headers},
          {"malformed_segments", c.malformed_segments},
          {"uncaptured_tcp_headers", c.uncaptured_tcp_headers}};
}

DecodeCounters counters_of(const Json& json) {
  DecodeCounters c;
  json.at("frames").get_to(c.frames);
  json.at("metered").get_to(c.metered);
  for (int i = 0; i < kIgnoredReasons; ++i) json.at("ignored").at(kIgnoredNames[i]).get_to(c.ignored[i]);
  json.at("ignored_bytes").get_to(c.ignored_bytes);
  json.at("decapsulated").get_to(c.decapsulated);
  json.at("short_transport_headers").get_to(c.short_transport_headers);
  json.at("malformed_segments").get_to(c.malformed_segments);
  json.at("uncaptured_tcp_headers").get_to(c.uncaptured_tcp_headers);
  return c;
}

Json findings_json(const TraceFindings& f) {
  Json damage = Json::array(), runs_back = Json::array();
  for (const Damage& d : f.damage) damage.push_back({{"file", d.file}, {"offset", d.offset}, {"reason", d.reason}});
  for (const TimeRunsBack& t : f.time_runs_back) {
    runs_back.push_back({{"from", t.from}, {"to", t.to}, {"by_ns", t.by_ns}});
  }
  return {{"damage", damage},
          {"unreadable", f.unreadable},
          {"files_again", f.files_again},
          {"clamped_times", f.clamped_times},
          {"time_runs_back_count", f.time_runs_back_count},
          {"time_runs_back", runs_back}};
}

TraceFindings findings_of(const Json& json) {
  TraceFindings f;
  for (const Json& d : json.at("damage")) f.damage.push_back({d.at("file"), d.at("offset"), d.at("reason")});
  json.at("unreadable").get_to(f.unreadable);
  json.at("files_again").get_to(f.files_again);
  json.at("clamped_times").get_to(f.clamped_times);
  json.at("time_runs_back_count").get_to(f.time_runs_back_count);
  for (const Json& t : json.at("time_runs_back")) f.time_runs_back.push_back({t.at("from"), t.at("to"), t.at("by_ns")});
  return f;
}

}  // namespace

std::string set_facts_json(const SetFacts& facts) {
  const Json json = {{"options", options_json(facts.options)},
                     {"inputs", facts.inputs},
                     {"links", facts.links},
                     {"first_ns", facts.first_ns},
                     {"latest_ns", facts.latest_ns},
                     {"latest_segment_ns", facts.latest_segment_ns},
                     {"counters", counters_json(facts.counters)},
                     {"findings", findings_json(facts.findings)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SetFacts parse_set_facts(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    SetFacts facts;
    facts.options = options_of(json.at("options"));
    json.at("inputs").get_to(facts.inputs);
    json.at("links").get_to(facts.links);
    json.at("first_ns").get_to(facts.first_ns);
    json.at("latest_ns").get_to(facts.latest_ns);
    json.at("latest_segment_ns").get_to(facts.latest_segment_ns);
    facts.counters = counters_of(json.at("counters"));
    facts.findings = findings_of(json.at("findings"));
    return facts;
  } catch (const Json::exception&) {
    throw Error("its facts make no sense");
  }
}

}  // namespace warpmeter
