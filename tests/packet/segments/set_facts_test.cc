// What a set says of itself: as JSON and back, and nonsense refused.
#include "packet/segments/set_facts.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "core/unread_layers.h"
#include "packet/segments/segment_format.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using FactsJson = nlohmann::ordered_json;

constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

SetFacts full_facts() {
  SetFacts facts;
  TunnelPorts ports;
  ports.set(UdpTunnel::geneve, {65535, 1});
  facts.options = {true, true, ports, "tcp port 80 or \"x\"", std::numeric_limits<std::uint64_t>::max()};
  facts.inputs = {"a.pcap", "folder/ä b.pcap", ""};
  facts.links = {0, 1, 65535};
  facts.first_ns = -kFarthest;
  facts.latest_ns = kFarthest;
  facts.latest_segment_ns = -1;
  DecodeCounters& c = facts.counters;
  c.frames = kMostSetFrames;
  c.metered = 1000;
  for (int i = 0; i < kIgnoredByDecoding; ++i) c.ignored[i] = static_cast<std::uint64_t>(10 + i);
  c.ignored_bytes = std::numeric_limits<std::uint64_t>::max();
  c.decapsulated = 1;
  c.short_transport_headers = 2;
  c.malformed_segments = 3;
  c.uncaptured_tcp_headers = 4;
  c.cut_tcp_headers = 5;
  c.not_ip.add(NotIp{ProtocolSpace::ether_type, 0x88cc}.as_number(), 6);
  c.not_ip.add(NotIp{ProtocolSpace::next_protocol, 0xffff}.as_number(), std::numeric_limits<std::uint64_t>::max());
  c.unopened_tunnels.add(unopened_number(TunnelKind::lisp, Unopened::too_deep), 7);
  facts.findings.damage = {{"a.pcap", 99, "cut short", 12}, {"b", std::numeric_limits<std::uint64_t>::max(), ""}};
  facts.findings.skips = {.places = 30, .bytes = 400, .untold = 10};
  facts.findings.odd_fractions = {{"odd.pcap", 86}};
  facts.findings.unreadable = {"x: No such file"};
  facts.findings.files_again = 5;
  facts.findings.clamped_times = 6;
  facts.findings.time_runs_back_count = 7;
  facts.findings.time_runs_back = {{"a", "b", std::numeric_limits<std::int64_t>::max()}};
  return facts;
}

TEST(SetFacts, ComeBack) {
  for (const SetFacts& facts : {SetFacts{}, full_facts()}) {
    const std::string json = set_facts_json(facts);
    const SetFacts back = parse_set_facts(json);
    EXPECT_EQ(set_facts_json(back), json);
    EXPECT_EQ(back.options, facts.options);
    EXPECT_EQ(back.inputs, facts.inputs);
    EXPECT_EQ(back.links, facts.links);
    EXPECT_EQ(back.first_ns, facts.first_ns);
    EXPECT_EQ(back.latest_ns, facts.latest_ns);
    EXPECT_EQ(back.latest_segment_ns, facts.latest_segment_ns);
    EXPECT_EQ(back.counters.frames, facts.counters.frames);
    EXPECT_EQ(back.counters.metered, facts.counters.metered);
    EXPECT_EQ(back.counters.ignored, facts.counters.ignored);
    EXPECT_EQ(back.counters.ignored_bytes, facts.counters.ignored_bytes);
    EXPECT_EQ(back.counters.decapsulated, facts.counters.decapsulated);
    EXPECT_EQ(back.counters.short_transport_headers, facts.counters.short_transport_headers);
    EXPECT_EQ(back.counters.malformed_segments, facts.counters.malformed_segments);
    EXPECT_EQ(back.counters.uncaptured_tcp_headers, facts.counters.uncaptured_tcp_headers);
    EXPECT_EQ(back.counters.cut_tcp_headers, facts.counters.cut_tcp_headers);
    EXPECT_EQ(back.counters.not_ip.total(), facts.counters.not_ip.total());
    EXPECT_EQ(back.counters.unopened_tunnels.total(), facts.counters.unopened_tunnels.total());
    EXPECT_EQ(back.findings, facts.findings);
  }
}

TEST(SetFacts, NamesThatAreNoTextAreToldAllTheSame) {
  SetFacts facts;
  facts.inputs = {"a\xff\xfe.pcap"};
  EXPECT_EQ(parse_set_facts(set_facts_json(facts)).inputs, std::vector<std::string>{"a\uFFFD\uFFFD.pcap"});
}

void expect_nonsense(const std::string& text) {
  EXPECT_EQ(test::thrown_text([&] { parse_set_facts(text); }), "its facts make no sense") << text;
}

TEST(SetFacts, OtherTextIsNonsense) {
  for (const char* const text : {"", " ", "null", "1", "[]", "{}", "\"x\"", "{\"options\": 1}", "\xff", "{} {}"}) {
    expect_nonsense(text);
  }
  const std::string sound = set_facts_json(full_facts());
  for (std::size_t size = 0; size < sound.size(); ++size) expect_nonsense(sound.substr(0, size));
  expect_nonsense(sound + sound);
}

TEST(SetFacts, DeepTextIsNonsense) {
  for (const char* const open : {"[", "{\"a\":", "{\"options\":["}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += open;
    expect_nonsense(text);
  }
}

// Each value in its place replaced by others, or missing.
TEST(SetFacts, OtherValuesAreNonsense) {
  const FactsJson sound = FactsJson::parse(set_facts_json(full_facts())).flatten();
  for (const auto& [place, value] : sound.items()) {
    const FactsJson::json_pointer at(place);
    for (const char* const other :
         {"null", "1.5", "1e300", "true", "\"x\"", "-1", "99999999999999999999", "[]", "{}"}) {
      const FactsJson replacement = FactsJson::parse(other);
      const bool same_kind = replacement.type() == value.type() || (place.ends_with("_ns") && other[1] == '1');
      if (same_kind) continue;
      FactsJson changed = sound.unflatten();
      changed[at] = replacement;
      expect_nonsense(changed.dump());
    }
  }
  const FactsJson whole = sound.unflatten();
  for (const auto& [name, value] : whole.items()) {
    FactsJson changed = whole;
    changed.erase(name);
    expect_nonsense(changed.dump());
  }
}

TEST(SetFacts, NumbersTooLargeAreNonsense) {
  const auto expect_too_large = [](const auto& change) {
    SetFacts facts = full_facts();
    change(facts);
    expect_nonsense(set_facts_json(facts));
  };
  expect_too_large([](SetFacts& f) { f.counters.frames = kMostSetFrames + 1; });
  expect_too_large([](SetFacts& f) { f.counters.metered = f.counters.frames + f.counters.sharing_frame + 1; });
  expect_too_large([](SetFacts& f) { f.first_ns = -kFarthest - 1; });
  expect_too_large([](SetFacts& f) { f.latest_ns = kFarthest + 1; });
  expect_too_large([](SetFacts& f) { f.latest_segment_ns = std::numeric_limits<std::int64_t>::max(); });
  FactsJson json = FactsJson::parse(set_facts_json(full_facts()));
  json["links"][0] = 65536;
  expect_nonsense(json.dump());
}

}  // namespace
}  // namespace warpmeter
