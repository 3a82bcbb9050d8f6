// What is advised for cards of all kinds: each thing that is not well has a line and a command, and what is well has
// none.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "command/advise/advise.h"
#include "command/advise/card_facts.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

std::vector<std::uint8_t> key_of(std::initializer_list<std::uint8_t> begin) {
  std::vector<std::uint8_t> key(40);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = begin.begin()[i % begin.size()];
  return key;
}

// Nothing is to be changed of this.
CardFacts good_card() {
  CardFacts facts;
  facts.name = "eth0";
  facts.driver = "ice";
  facts.has_card = true;
  facts.speed_mbit = 100'000;
  facts.mtu = 9000;
  facts.node = 1;
  facts.near = {4, 5, 6, 7};
  facts.queues.combined = {4, 64};
  facts.rx_ring = {8160, 8160};
  facts.features = {{"rx-gro", {}}, {"rx-lro", {.on = false, .fixed = true}}, {"rx-vlan-hw-parse", {}}};
  facts.hash = CardHash{.is_toeplitz = true, .key = key_of({0x6d, 0x5a})};
  for (const char* kind : {"tcp4", "udp4", "tcp6", "udp6"}) facts.fields[kind] = {true, true, true, true};
  for (unsigned queue = 0; queue < 4; ++queue) {
    facts.interrupts.push_back(
        {100 + queue, "ice-eth0-TxRx-" + std::to_string(queue), queue, std::to_string(4 + queue)});
  }
  return facts;
}

// Whose tags come beside frames.
void make_veth(CardFacts& facts) {
  facts.driver = "veth";
  facts.has_card = false;
  facts.features["rx-vlan-hw-parse"].on = true;
  facts.other_end_cuts = true;
}

// The commands that are advised.
std::vector<std::string> commands_for(const CardFacts& facts) {
  std::vector<std::string> commands;
  for (const Advice& advice : advice_for(facts)) {
    EXPECT_FALSE(advice.what.empty());
    commands.push_back(advice.command);
  }
  return commands;
}

using Commands = std::vector<std::string>;

TEST(Advice, NothingForWhatIsWell) {
  EXPECT_EQ(commands_for(good_card()), Commands{});
  const std::string text = advice_text(good_card());
  EXPECT_NE(text.find("CPUs near it: 4-7 (NUMA node 1)"), std::string::npos) << text;
  EXPECT_NE(text.find("RSS: Toeplitz, symmetric, tcp4 sdfn"), std::string::npos) << text;
  EXPECT_NE(text.find("nothing to change\nNothing was changed.\n"), std::string::npos) << text;
}

// AF_XDP asks for them.
TEST(Advice, TagsThatADriverTellsAreNotLost) {
  CardFacts facts = good_card();
  facts.features["rx-vlan-hw-parse"].on = true;
  facts.tells_tags = true;
  EXPECT_EQ(commands_for(facts), Commands{});
  make_veth(facts);
  EXPECT_EQ(commands_for(facts), Commands{});
}

struct Case {
  void (*spoil)(CardFacts&);
  const char* command;
};
const Case kCases[] = {
    {[](CardFacts& f) { f.is_up = false; }, "ip link set eth0 up"},
    {[](CardFacts& f) { f.features["rx-gro"].on = true; }, "ethtool -K eth0 gro off"},
    {[](CardFacts& f) { f.features["rx-gro-hw"].on = true; }, "ethtool -K eth0 rx-gro-hw off"},
    {[](CardFacts& f) { f.features["rx-lro"] = {.on = true}; }, "ethtool -K eth0 lro off"},
    {[](CardFacts& f) { f.features["rx-lro"] = {.on = true, .fixed = true}; }, ""},
    {[](CardFacts& f) { f.features["rx-vlan-hw-parse"].on = true; }, "ethtool -K eth0 rxvlan off"},
    {[](CardFacts& f) { make_veth(f); }, "ethtool -K OTHER_END txvlan off tx-vlan-stag-hw-insert off"},
    {[](CardFacts& f) {
       make_veth(f);
       f.other_end = "a b";
     },
     "ethtool -K 'a b' txvlan off tx-vlan-stag-hw-insert off"},
    {[](CardFacts& f) {
       make_veth(f);
       f.tells_tags = true;
       f.other_end_cuts.reset();
     },
     "ethtool -K OTHER_END tso off tx-udp-segmentation off"},
    {[](CardFacts& f) {
       f.driver = "tun";
       f.has_card = false;
     },
     "ethtool -K INTERFACE tso off tx-udp-segmentation off  # in the machine behind it"},
    {[](CardFacts& f) { f.mtu = 1500; }, "ip link set eth0 mtu 9000"},
    {[](CardFacts& f) { f.queues.combined.now = 64; }, "ethtool -L eth0 combined 4"},
    {[](CardFacts& f) {
       f.queues.combined = {2, 3};
     },
     "ethtool -L eth0 combined 3"},
    {[](CardFacts& f) {
       f.queues = {.rx = {8, 8}};
     },
     "ethtool -L eth0 rx 4"},
    {[](CardFacts& f) {
       f.fields["udp4"] = {true, false, false, false};
     },
     "ethtool -N eth0 rx-flow-hash udp4 sdfn"},
    {[](CardFacts& f) { f.fields["tcp6"] = {}; }, "ethtool -N eth0 rx-flow-hash tcp6 sdfn"},
    {[](CardFacts& f) { f.steering_rules = 3; }, "ethtool -n eth0; ethtool -N eth0 delete RULE"},
    {[](CardFacts& f) { f.rx_ring.now = 512; }, "ethtool -G eth0 rx 8160"},
    {[](CardFacts& f) { f.irqbalance = true; }, "systemctl stop irqbalance"},
    {[](CardFacts& f) { f.interrupts[1].cpus = "0-63"; }, "warpmeter live -i eth0 --affinity auto --set-irq-affinity"},
    {[](CardFacts& f) { f.interrupts[1].cpus = "3"; }, "warpmeter live -i eth0 --affinity auto --set-irq-affinity"},
    {[](CardFacts& f) {
       f.sleepy = {4, 5}, f.governor = "powersave";
     },
     "cpupower -c 4,5 frequency-set -g performance"},
};

TEST(Advice, EachThingHasItsCommand) {
  for (const Case& one : kCases) {
    CardFacts facts = good_card();
    one.spoil(facts);
    EXPECT_EQ(commands_for(facts), Commands{one.command}) << (&one - kCases);
  }
}

TEST(Advice, OddNamesAreOneWordOfTheShell) {
  CardFacts facts = good_card();
  facts.is_up = false;
  facts.name = "$(id);it's";
  EXPECT_EQ(commands_for(facts), Commands{"ip link set '$(id);it'\\''s' up"});
  facts.name = "eth0.5@x:1-y_z";
  EXPECT_EQ(commands_for(facts), Commands{"ip link set eth0.5@x:1-y_z up"});
}

TEST(Advice, KeyThatTakesBothDirectionsAlike) {
  CardHash hash{.is_toeplitz = true, .key = key_of({0x6d, 0x5a})};
  EXPECT_TRUE(is_symmetric(hash));
  hash.key[39] ^= 1;
  EXPECT_FALSE(is_symmetric(hash));
  hash.mirrors_input = true;
  EXPECT_TRUE(is_symmetric(hash));
  EXPECT_TRUE(is_symmetric({.is_xor = true, .key = {1, 2, 3, 4}}));
  EXPECT_FALSE(is_symmetric({.key = key_of({0x6d, 0x5a})}));  // by a function that is not known

  CardFacts facts = good_card();
  facts.hash->key = {0x6d, 0x5a, 0x56, 0xda};
  EXPECT_EQ(commands_for(facts), Commands{"ethtool -X eth0 hkey 6d:5a:6d:5a"});
  facts.hash->is_toeplitz = false;
  EXPECT_EQ(commands_for(facts), Commands{"ethtool -X eth0 hfunc toeplitz hkey 6d:5a:6d:5a"});
  facts.queues.combined = {1, 1};  // all comes to one queue
  EXPECT_EQ(commands_for(facts), Commands{});
}

TEST(Advice, WhatNobodyToldIsNoReason) {
  CardFacts facts;
  facts.name = "veth1";
  facts.mtu = 1500;
  facts.irqbalance = true;
  EXPECT_EQ(commands_for(facts), Commands{});
  facts.has_card = true;
  facts.mtu = 0;
  EXPECT_EQ(commands_for(facts), Commands{});
  EXPECT_NE(advice_text(facts).find("RSS: its driver tells no key"), std::string::npos);
}

TEST(Advice, OfAnInterfaceThatIsThere) {
  if (!std::filesystem::exists("/sys/class/net/lo")) GTEST_SKIP() << "a machine with /sys runs this";
  const CardFacts facts = ask_card("lo");
  EXPECT_FALSE(facts.has_card);
  EXPECT_GT(facts.mtu, 0u);
  EXPECT_FALSE(facts.near.empty());
  EXPECT_TRUE(facts.interrupts.empty());
  EXPECT_NE(facts.features.find("rx-gro"), facts.features.end());
  EXPECT_NE(thrown_text([] { ask_card("nowhere"); }).find("there is no network interface nowhere"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter::test
