// Another policy between two batches: what it has unchanged goes on, all else begins anew.
#include <gtest/gtest.h>

#include <random>

#include "policy/rounds/policy_talk.h"

namespace warpmeter {
namespace {

using test::one_group;
using test::PolicyTalk;
using test::TalkedPacket;

const std::string kFromOne = "[init]\ndefault = 1\n";

// What a client says, one packet behind the other.
std::vector<TalkedPacket> says(const std::vector<std::string>& texts) {
  std::vector<TalkedPacket> packets = {{.sequence = 99, .flags = kSyn}};
  std::uint32_t sequence = 100;
  for (const std::string& text : texts) {
    packets.push_back({.text = text, .sequence = sequence});
    sequence += static_cast<std::uint32_t>(text.size());
  }
  return packets;
}

// All but the last of these, then another policy, then the last: what that meets.
std::string met_after(const std::string& before, const std::string& after, const std::vector<std::string>& texts,
                      bool fuse = true) {
  PolicyTalk talk(before, fuse);
  std::vector<TalkedPacket> packets = says(texts);
  const TalkedPacket last = packets.back();
  packets.pop_back();
  talk.say(packets);
  talk.replace(after);
  return talk.say({last});
}

TEST(PolicyReload, TextOfAnUnchangedGroupGoesOn) {
  const std::string stays = one_group(1, "stream = 'abc', label = 'x'", "2");
  const std::string old = kFromOne + stays + one_group(2, "stream = 'bcd', label = 'y'");
  EXPECT_EQ(met_after(old, old, {"ab", "cd"}), "1+ 2+ OUT x;y\n");
  const std::string changed = kFromOne + stays + one_group(2, "stream = '[b]cd', label = 'y'");
  EXPECT_EQ(met_after(old, changed, {"ab", "cd"}, false), "1+ 2- OUT x\n");
  EXPECT_EQ(met_after(old, changed, {"ab", "cd"}), "1- 2- OUT\n") << "one scan, which begins anew";
}

// Also where a unit has another number.
TEST(PolicyReload, GroupsMayComeAndGoAroundIt) {
  const std::string stays = one_group(5, "stream = 'abc', label = 'x'");
  const std::string old = "[init]\ndefault = 3\n" + one_group(3, "stream = 'no', payload = 'q'", "5") + stays;
  EXPECT_EQ(met_after(old, "[init]\ndefault = 5\n" + stays, {"ab", "cd"}, false), "5+ OUT x\n");
  EXPECT_EQ(met_after("[init]\ndefault = 5\n" + stays, old, {"ab", "cd"}, false), "3- 5+ OUT x\n");
}

TEST(PolicyReload, WhatWasCountedStaysOfAnUnchangedGroup) {
  const auto rule = [](const std::string& label) { return "payload = 'a', after = 3, label = '" + label + "'"; };
  const std::string old = kFromOne + one_group(1, rule("x"), "2") + one_group(2, rule("y"));
  EXPECT_EQ(met_after(old, old, {"a", "a", "a"}), "1+ 2+ OUT x;y\n");
  EXPECT_EQ(met_after(old, kFromOne + one_group(1, rule("z"), "2") + one_group(2, rule("y")), {"a", "a", "a"}),
            "1- 2+ OUT y\n");
}

// Where it leads is none of its rules.
TEST(PolicyReload, OtherFollowersChangeNoState) {
  const std::string group = "stream = 'abc', label = 'x'";
  EXPECT_EQ(met_after(kFromOne + one_group(1, group), kFromOne + one_group(1, group, "\"DROP\""), {"ab", "c"}),
            "1+ DROP x\n");
}

TEST(PolicyReload, AnotherNameChangesNoState) {
  const std::string rule = "match = 'DROP'\nrule = [{ payload = 'a', after = 2 }]\n";
  EXPECT_EQ(met_after(kFromOne + "[[group]]\nid = 1\nname = 'x'\n" + rule,
                      kFromOne + "[[group]]\nid = 1\nname = 'y'\n" + rule, {"a", "a"}),
            "1+ DROP\n");
}

// Also if nobody saw what was between.
TEST(PolicyReload, ThereAndBackIsAChange) {
  const std::string policy = kFromOne + one_group(1, "payload = 'a', after = 2, label = 'x'", "2") +
                             one_group(2, "payload = 'a', after = 2, label = 'y'");
  PolicyTalk talk(policy);
  talk.say(says({"a"}));
  talk.replace(kFromOne + one_group(1, "payload = 'a', after = 2, label = 'x'"));
  talk.replace(policy);
  EXPECT_EQ(talk.say({{.text = "a", .sequence = 101}}), "1+ 2- OUT x\n");
}

TEST(PolicyReload, GroupsThatShareAScanInAnotherOrderBeginItAnew) {
  const std::string first = "stream = 'abc', label = 'x'", second = "stream = 'bcd', label = 'y'";
  const std::string old = kFromOne + one_group(1, first, "2") + one_group(2, second);
  const std::string turned = "[init]\ndefault = 2\n" + one_group(2, second, "1") + one_group(1, first);
  EXPECT_EQ(met_after(old, turned, {"ab", "cd"}), "2- 1- OUT\n");
  EXPECT_EQ(met_after(old, turned, {"ab", "cd"}, false), "2+ 1+ OUT y;x\n");
  EXPECT_EQ(met_after(old, kFromOne + one_group(1, first), {"ab", "cd"}), "1- OUT\n") << "shared no more";
}

TEST(PolicyReload, ValuesThatWereAskedForAreLookedForFurther) {
  PolicyTalk talk(kFromOne + one_group(1, "payload = 'GET', field = { host = 'http.host' }"));
  talk.say({{.text = "GET / HTTP/1.1\r\nHo", .sequence = 100}});
  talk.replace(kFromOne + one_group(1, "label = 'x'"));
  talk.say({{.text = "st: a.b\r\n\r\n", .sequence = 118}});
  EXPECT_EQ(talk.values(), std::vector<std::string>{"1000>80 host=a.b"});
}

TEST(PolicyReload, VerdictsStay) {
  PolicyTalk talk(kFromOne + one_group(1, "payload = 'a', final = true, label = 'x'", "\"DROP\""));
  talk.say(says({"a"}));
  talk.replace(kFromOne + one_group(1, "payload = 'a', label = 'y'"));
  EXPECT_EQ(talk.say({{.text = "a", .sequence = 101}}), "DROP\n");
  EXPECT_EQ(talk.say({{.from = 2000, .text = "a"}}), "1+ OUT y\n") << "of another connection";
}

TEST(PolicyReload, CountersGoOnOfAnUnchangedGroup) {
  PolicyTalk talk(kFromOne + one_group(1, "payload = 'a'", "2") + one_group(2, "payload = 'b'"));
  talk.say(says({"a", "b"}));
  talk.replace(kFromOne + one_group(1, "payload = 'a'", "2") + one_group(2, "payload = 'c'"));
  talk.say({{.text = "c", .sequence = 102}});
  const PolicyCounters counters = talk.counters();
  EXPECT_EQ(counters.rounds, 8u);
  ASSERT_EQ(counters.groups.size(), 2u);
  EXPECT_EQ(counters.groups[0].matched, 1u);
  EXPECT_EQ(counters.groups[0].mismatched, 3u);
  EXPECT_EQ(counters.groups[1].matched, 1u);
  EXPECT_EQ(counters.groups[1].mismatched, 0u);
  EXPECT_EQ(counters.hits, (std::vector<std::uint64_t>{1, 1}));
}

// The same policy, read again at any place, changes nothing.
TEST(PolicyReload, OfTheSameChangesNothing) {
  const std::string policy = kFromOne +
                             "[[group]]\nid = 1\nmode = 'all'\nmatch = 2\nmismatch = 3\nrule = [{ stream = "
                             "'ab+a', label = 'x' }, { payload = 'b', after = 2, label = 'y' }]\n" +
                             one_group(2, "stream = '^a', label = 'z'", "3") +
                             one_group(3, "stream = 'ba', after = 3, label = ['v', 'w'], final = true");
  std::mt19937 random(1);
  for (int run = 0; run < 50; ++run) {
    std::vector<std::string> texts;
    for (int i = 0; i < 12; ++i) {
      std::string& text = texts.emplace_back();
      for (unsigned n = random() % 4; n > 0; --n) text += random() % 3 ? 'b' : 'a';
    }
    const std::vector<TalkedPacket> packets = says(texts);
    PolicyTalk once(policy, run % 2), again(policy, run % 2);
    std::string all;
    for (std::size_t at = 0; at < packets.size();) {
      const std::size_t some = std::min<std::size_t>(1 + random() % 5, packets.size() - at);
      all += again.say({packets.begin() + static_cast<std::ptrdiff_t>(at),
                        packets.begin() + static_cast<std::ptrdiff_t>(at + some)});
      at += some;
      if (random() % 2) again.replace(policy);
    }
    ASSERT_EQ(all, once.say(packets));
  }
}

}  // namespace
}  // namespace warpmeter
