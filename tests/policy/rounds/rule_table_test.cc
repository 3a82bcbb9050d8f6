// The bitmap of a packet has the rules whose conditions hold, each looked at by itself.
#include "policy/rounds/rule_table.h"

#include <gtest/gtest.h>

#include <random>

#include "policy/memory/policy_file.h"

namespace warpmeter {
namespace {

using Random = std::mt19937_64;

struct Asked {
  FlowKey key;
  Segment segment;
  PacketView view;
};

Asked packet(Random& random) {
  Asked made;
  FlowKey& key = made.key;
  key.version = random() % 3 ? 4 : 6;
  const int bytes = key.version == 4 ? 4 : 16;
  for (int i = 0; i < bytes; ++i) {
    key.source[i] = static_cast<std::uint8_t>(random() % 2 * (random() % 3));
    key.destination[i] = static_cast<std::uint8_t>(random() % 2 * 255);
  }
  set_port_number(key.source_port, static_cast<std::uint16_t>(random() % 4 ? random() % 6 : 65535));
  set_port_number(key.destination_port, static_cast<std::uint16_t>(random() % 6));
  constexpr std::uint8_t kProtocols[] = {0, 1, 6, 6, 17, 255};
  key.protocol = kProtocols[random() % 6];
  made.segment.length = static_cast<std::uint32_t>(random() % 8);
  made.segment.flags = static_cast<std::uint8_t>(random());
  if (key.protocol == kProtocolTcp && random() % 4) made.segment.kind = kTcpSegment;
  made.view.payload_length = random() % 8;
  made.view.vlan = static_cast<std::uint16_t>(random() % 4);
  made.view.from_server = random() % 2;
  made.view.nth = 1 + random() % 5;
  return made;
}

std::vector<ValueRange> ranges(Random& random) {
  std::vector<ValueRange> made;
  for (std::size_t i = random() % 3 + (random() % 8 ? 1 : 0); i > 0; --i) {
    const std::uint64_t low = random() % 6;
    made.push_back({low, random() % 4 ? low + random() % 3 : ~std::uint64_t{0}});
  }
  return made;
}

std::vector<AddressPrefix> prefixes(Random& random) {
  std::vector<AddressPrefix> made;
  for (std::size_t i = 1 + random() % 2; i > 0; --i) {
    AddressPrefix& prefix = made.emplace_back();
    prefix.version = random() % 2 ? 4 : 6;
    const unsigned most = prefix.version == 4 ? 32 : 128;
    prefix.length = static_cast<std::uint8_t>(random() % 3   ? random() % 20
                                              : random() % 2 ? most
                                                             : random() % (most + 1));
    for (unsigned bit = 0; bit < prefix.length; ++bit) {
      const bool set = random() % 3 == 0;
      prefix.address[bit / 8] |= static_cast<std::uint8_t>(set << (7 - bit % 8));
    }
  }
  return made;
}

Conditions conditions(Random& random) {
  Conditions made;
  const auto one_of = [&](std::uint64_t count) { return random() % count == 0; };
  if (one_of(4)) made.version = random() % 2 ? 4 : 6;
  if (one_of(4)) made.protocol.emplace({static_cast<std::uint8_t>(random() % 2 ? 6 : 17), std::uint8_t{1}});
  if (one_of(4)) made.source = prefixes(random);
  if (one_of(4)) made.destination = prefixes(random);
  for (const auto given : {&Conditions::source_port, &Conditions::destination_port, &Conditions::port,
                           &Conditions::vlan, &Conditions::length, &Conditions::payload_length, &Conditions::nth}) {
    if (one_of(5)) made.*given = ranges(random);
  }
  if (one_of(4)) {
    made.has_flags = true;
    made.flags = static_cast<std::uint8_t>(random() & random() & random());
    made.not_flags = static_cast<std::uint8_t>(random() & random() & random());
  }
  if (one_of(4)) made.way = random() % 2 ? Way::client : Way::server;
  return made;
}

bool holds(const std::optional<std::vector<ValueRange>>& given, std::uint64_t number) {
  return !given || std::ranges::any_of(
                       *given, [&](const ValueRange& range) { return range.low <= number && number <= range.high; });
}

bool holds(const std::optional<std::vector<AddressPrefix>>& given, const FlowKey& key, const std::uint8_t* address) {
  return !given || std::ranges::any_of(*given, [&](const AddressPrefix& prefix) {
    if (prefix.version != key.version) return false;
    for (unsigned bit = 0; bit < prefix.length; ++bit) {
      if ((prefix.address[bit / 8] ^ address[bit / 8]) >> (7 - bit % 8) & 1) return false;
    }
    return true;
  });
}

bool holds(const Conditions& c, const Asked& asked) {
  const FlowKey& key = asked.key;
  if (c.version && *c.version != key.version) return false;
  if (c.protocol && std::ranges::find(*c.protocol, key.protocol) == c.protocol->end()) return false;
  if (!holds(c.source, key, key.source) || !holds(c.destination, key, key.destination)) return false;
  const std::uint64_t source = port_number(key.source_port), destination = port_number(key.destination_port);
  if (!holds(c.source_port, source) || !holds(c.destination_port, destination)) return false;
  if (!holds(c.port, source) && !holds(c.port, destination)) return false;
  if (!holds(c.vlan, asked.view.vlan) || !holds(c.length, asked.segment.length)) return false;
  if (!holds(c.payload_length, asked.view.payload_length) || !holds(c.nth, asked.view.nth)) return false;
  if (c.has_flags) {
    if (!is_tcp(asked.segment)) return false;
    if ((asked.segment.flags & c.flags) != c.flags || (asked.segment.flags & c.not_flags) != 0) return false;
  }
  return c.way == Way::any || (c.way == Way::server) == asked.view.from_server;
}

TEST(RuleTable, AgreesWithLookingAtEachRule) {
  Random random(47);
  std::size_t found = 0;
  for (int table = 0; table < 150; ++table) {
    std::vector<Conditions> rules(1 + random() % 130);
    for (Conditions& rule : rules) rule = conditions(random);
    std::vector<const Conditions*> listed;
    for (const Conditions& rule : rules) listed.push_back(&rule);
    const RuleTable made(listed);
    std::vector<RuleWord> bits(made.words());
    for (int i = 0; i < 100; ++i) {
      Asked asked = packet(random);
      asked.view.key = &asked.key;
      asked.view.segment = &asked.segment;
      std::ranges::fill(bits, ~RuleWord{0});
      made.find(asked.view, bits.data());
      for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        ASSERT_EQ(has_rule(bits.data(), rule), holds(rules[rule], asked))
            << "table " << table << ", packet " << i << ", rule " << rule;
        found += has_rule(bits.data(), rule);
      }
      for (std::size_t rule = rules.size(); rule < bits.size() * kRulesAWord; ++rule)
        ASSERT_FALSE(has_rule(bits.data(), rule));
    }
  }
  EXPECT_GT(found, 20'000u);
}

TEST(RuleTable, WithoutRulesHasNoWords) {
  const RuleTable none({});
  EXPECT_EQ(none.words(), 0u);
  Random random(1);
  Asked asked = packet(random);
  asked.view.key = &asked.key;
  asked.view.segment = &asked.segment;
  none.find(asked.view, nullptr);
}

// As a policy file says it: an empty list never holds, but for one of protocols, which is none.
TEST(RuleTable, TakesEmptyListsAsAFileMeansThem) {
  const auto is_found = [](const std::string& text) {
    const Conditions conditions = parse_init_rule("[[init.rule]]\nto = 'OUT'\n" + text, {}).conditions;
    const RuleTable table({&conditions});
    Random random(1);
    Asked asked = packet(random);
    asked.view.key = &asked.key;
    asked.view.segment = &asked.segment;
    RuleWord bits = 0;
    table.find(asked.view, &bits);
    return bits == 1;
  };
  EXPECT_FALSE(is_found("port = []"));
  EXPECT_FALSE(is_found("src = []"));
  EXPECT_FALSE(is_found("nth = []"));
  EXPECT_TRUE(is_found("protocol = []"));
  EXPECT_TRUE(is_found(""));
}

}  // namespace
}  // namespace warpmeter
