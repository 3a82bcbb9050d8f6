#include <nlohmann/json.hpp>

#include "base/words/json_value_text.h"
#include "command/info/capture_info.h"
#include "packet/decode/unread_words.h"
#include "packet/file/capture_links.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

const char* format_word(InputFormat format) {
  switch (format) {
    case InputFormat::pcap: return "pcap";
    case InputFormat::pcapng: return "pcapng";
    case InputFormat::hpcap: return "hpcap";
    default: return "erf";
  }
}

Json interface_json(const InterfaceFacts& i, std::uint64_t packets) {
  Json json;
  if (!i.name.empty()) json["name"] = i.name;
  if (!i.description.empty()) json["description"] = i.description;
  json["link_type"] = i.link == kUnknownLink ? Json() : Json(i.link);
  json["link_name"] = i.link == kUnknownLink ? Json() : Json(bare_link_name(i.link));
  json["decoded"] = i.decoded;
  json["snap_length"] = i.snap_length ? Json(i.snap_length) : Json();
  json["time_unit"] = {{"base", i.resolution & 0x80 ? 2 : 10}, {"exponent", -(i.resolution & 0x7f)}};
  json["packets"] = packets;
  return json;
}

// "damage" is the first place; with --resync there may be more.
void add_damage(Json& json, const CaptureInfo& info) {
  const auto place = [](const Damage& d) { return Json({{"offset", d.offset}, {"reason", d.reason}}); };
  json["damage"] = info.damage.empty() ? Json() : place(info.damage.front());
  if (info.skips.places) {
    Json& skipped = json["skipped"] = {{"places", info.skips.places}, {"bytes", info.skips.bytes}};
    Json& first = skipped["first"] = Json::array();
    for (const Damage& damage : info.damage) {
      if (damage.skipped) first.push_back(place(damage)), first.back()["bytes"] = damage.skipped;
    }
  }
  if (!info.odd_fractions.empty()) json["odd_fractions_from"] = info.odd_fractions.front().offset;
}

void add_times(Json& json, const FrameSums& s) {
  const bool any = s.frames() > 0;
  const auto or_null = [any](auto value) { return any ? Json(value) : Json(); };
  const std::int64_t ns = any ? s.latest_ns - s.earliest_ns : 0;
  const auto rate = [ns](std::uint64_t count) {
    return ns > 0 ? Json(static_cast<double>(count) * 1e9 / static_cast<double>(ns)) : Json();
  };
  json["earliest"] = any ? Json(exact_utc_text(s.earliest_ns)) : Json();
  json["latest"] = any ? Json(exact_utc_text(s.latest_ns)) : Json();
  json["earliest_ns"] = or_null(s.earliest_ns);
  json["latest_ns"] = or_null(s.latest_ns);
  json["duration_ns"] = or_null(ns);
  json["packets_per_second"] = rate(s.frames());
  json["bits_per_second"] = rate(s.original * 8);
  json["time_runs_backwards"] = s.backwards;
  json["furthest_back_ns"] = s.furthest_back_ns;
}

void add_sums(Json& json, const FrameSums& s) {
  const bool any = s.frames() > 0;
  json["packets"] = s.frames();
  json["original_bytes"] = s.original;
  json["captured_bytes"] = s.captured;
  json["packets_cut_short"] = s.cut;
  json["average_length"] = any ? Json(static_cast<double>(s.original) / static_cast<double>(s.frames())) : Json();
  json["smallest_length"] = any ? Json(s.smallest) : Json();
  json["largest_length"] = any ? Json(s.largest) : Json();
  add_times(json, s);
  json["ipv4"] = s.ip4;
  json["ipv6"] = s.ip6;
  json["tcp"] = s.tcp;
  json["udp"] = s.udp;
  json["icmp"] = s.icmp;
  json["other_protocols"] = s.other;
  json["later_fragments"] = s.fragments;
  json["vlan"] = s.vlan;
  json["metered"] = s.decode.metered;
  Json ignored = Json::object();
  for (int i = 0; i < kIgnoredReasons; ++i) ignored[kIgnoredNames[i]] = s.decode.ignored[i];
  json["ignored"] = ignored;
  const NamedCounts not_ip = not_ip_names(s.decode, kMostNames);
  Json named = Json::object();
  for (const auto& [name, count] : not_ip.names) named[name] = count;
  if (not_ip.others) named["others"] = not_ip.others;
  json["not_ip"] = named;
}

}  // namespace

std::string capture_info_json(const CaptureInfo& info) {
  const CaptureFacts& facts = info.facts;
  const bool has_order = facts.format == InputFormat::pcap || facts.format == InputFormat::pcapng;
  Json json = {{"file", info.file}, {"format", format_word(facts.format)}};
  if (facts.modified) json["modified"] = true;
  if (has_order) json["byte_order"] = facts.big_endian ? "big" : "little";
  if (!facts.compression.empty()) json["compression"] = facts.compression;
  if (facts.format == InputFormat::pcapng) json["sections"] = facts.sections;
  json["file_bytes"] = info.bytes;
  json["interfaces"] = Json::array();
  for (const InterfaceFacts& i : facts.interfaces) {
    json["interfaces"].push_back(interface_json(i, facts.counts_packets ? i.packets : info.sums.frames()));
  }
  if (facts.more_interfaces) json["more_interfaces"] = facts.more_interfaces;
  add_sums(json, info.sums);
  add_damage(json, info);
  if (!info.unreadable.empty()) json["unreadable"] = info.unreadable;
  if (info.interrupted) json["interrupted"] = true;
  return json_text(json) + "\n";
}

}  // namespace warpmeter::inline command
