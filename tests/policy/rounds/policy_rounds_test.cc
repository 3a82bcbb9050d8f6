// What a packet meets, rule by rule of docs/policies.md, with traffic made by hand: groups, conditions, state,
// verdicts.
#include "policy/rounds/policy_rounds.h"

#include <gtest/gtest.h>

#include "policy/rounds/policy_talk.h"

namespace warpmeter {
namespace {

using test::back;
using test::one_group;
using test::PolicyTalk;
using test::TalkedPacket;
using test::udp;

constexpr std::uint8_t kPush = 8;

std::string from_group_1(const std::string& groups) { return "[init]\ndefault = 1\n" + groups; }

TEST(PolicyRounds, TheFirstRuleThatHoldsIsTheMatch) {
  const std::string rules =
      "match = 'OUT'\nmismatch = 'DROP'\n"
      "rule = [{ payload = 'b', label = 'b' }, { port = 80, label = 'port' }, { label = 'any' }]\n";
  PolicyTalk first(from_group_1("[[group]]\nid = 1\n" + rules));
  EXPECT_EQ(first.say({udp("abc"), udp("a")}), "1+ OUT b\n1+ OUT port\n");
  PolicyTalk all(from_group_1("[[group]]\nid = 1\nmode = 'all'\n" + rules));
  EXPECT_EQ(all.say({udp("abc"), udp("a")}), "1+ OUT b;port;any\n1+ OUT port;any\n");
  PolicyTalk none(from_group_1("[[group]]\nid = 1\nmismatch = 'DROP'\nrule = [{ payload = 'b' }]\n"));
  EXPECT_EQ(none.say({udp("a"), udp("b"), udp("c")}), "1- DROP\n1+ OUT\n1- DROP\n");
  EXPECT_EQ(none.passed(), 1u);
}

TEST(PolicyRounds, BeginWhereTheFirstInitRuleThatHoldsSays) {
  PolicyTalk talk(
      "[init]\ndefault = 3\nrule = [{ protocol = 'udp', to = 1 }, { nth = '2-', to = 'DROP' }, { port = 80, to = 2 "
      "}]\n" +
      one_group(1, "label = 'one'") + one_group(2, "label = 'two'") + one_group(3, "label = 'three'"));
  EXPECT_EQ(talk.say({udp("x"), {.to = 80}, {.to = 80}, {.to = 81}}), "1+ OUT one\n2+ OUT two\nDROP\n3+ OUT three\n");
}

TEST(PolicyRounds, GoWhereTheFirstMatchedRuleSays) {
  PolicyTalk talk(
      from_group_1("[[group]]\nid = 1\nmode = 'all'\nmatch = 2\nmismatch = 3\n"
                   "rule = [{ payload = 'a' }, { payload = 'b', next = 3 }, { payload = 'c', next = 'DROP' }]\n" +
                   one_group(2, "label = 'two'") + one_group(3, "label = 'three'")));
  EXPECT_EQ(talk.say({udp("a"), udp("ab"), udp("cb"), udp("c"), udp("-")}),
            "1+ 2+ OUT two\n1+ 3+ OUT three\n1+ 3+ OUT three\n1+ DROP\n1- 3+ OUT three\n");
}

TEST(PolicyRounds, SeeLabelsOfEarlierRoundsOfThisPacketAlone) {
  PolicyTalk talk(from_group_1(
      "[[group]]\nid = 1\nmode = 'all'\nmatch = 2\nmismatch = 2\n"
      "rule = [{ payload = 'a', label = 'a' }, { payload = 'b', label = ['b', 'c'] }, "
      "{ label_is = 'a', label = 'own' }]\n"
      "[[group]]\nid = 2\nmode = 'all'\n"
      "rule = [{ label_is = ['a', 'c'], label = 'both' }, { label_is_not = ['a', 'b'], label = 'none' }]\n"));
  EXPECT_EQ(talk.say({udp("ab"), udp("a"), udp("-")}), "1+ 2+ OUT a;b;c;both\n1+ 2- OUT a\n1- 2+ OUT none\n");
}

TEST(PolicyRounds, TellTheDirectionAndTheNumberOfAPacket) {
  PolicyTalk talk(from_group_1(
      "[[group]]\nid = 1\nmode = 'all'\n"
      "rule = [{ way = 'client', label = 'c' }, { way = 'server', label = 's' }, { nth = 2, label = '2' }]\n"));
  EXPECT_EQ(talk.say({udp("x"), back(udp("x")), udp("x"), udp("x"), back(udp("x"))}),
            "1+ OUT c\n1+ OUT s\n1+ OUT c;2\n1+ OUT c\n1+ OUT s;2\n");
  PolicyTalk answer(from_group_1(one_group(1, "way = 'client', label = 'c'")));
  EXPECT_EQ(answer.say({{.from = 80, .to = 1000, .sequence = 5, .flags = kSyn | kAck}, {.sequence = 9}}),
            "1- OUT\n1+ OUT c\n")
      << "who sends a SYN+ACK is the server";
}

TEST(PolicyRounds, AfterCountsPerConnectionWhatHeldOtherwise) {
  const std::string rules = "rule = [{ payload = 'x', label = 'other' }, { payload = 'a', after = 2, label = 'a' }]\n";
  PolicyTalk talk(from_group_1("[[group]]\nid = 1\n" + rules));
  TalkedPacket elsewhere = udp("a");
  elsewhere.from = 1001;
  EXPECT_EQ(talk.say({udp("a"), elsewhere, udp("b"), back(udp("ax")), udp("a"), udp("a")}),
            "1- OUT\n1- OUT\n1- OUT\n1+ OUT other\n1+ OUT a\n1+ OUT a\n")
      << "nor does one count that an earlier rule kept from being looked at";
  PolicyTalk all(from_group_1("[[group]]\nid = 1\nmode = 'all'\n" + rules));
  EXPECT_EQ(all.say({udp("a"), back(udp("ax"))}), "1- OUT\n1+ OUT other;a\n") << "of both directions";
}

TEST(PolicyRounds, AfterIsOfItsGroup) {
  PolicyTalk talk("[init]\ndefault = 1\nrule = [{ payload_length = '2-', to = 2 }]\n" +
                  one_group(1, "after = 2, label = 'one'") + one_group(2, "after = 2, label = 'two'"));
  EXPECT_EQ(talk.say({udp("1"), udp("22"), udp("1"), udp("22")}), "1- OUT\n2- OUT\n1+ OUT one\n2+ OUT two\n");
}

TEST(PolicyRounds, FinalIsTheVerdictForAllLaterPackets) {
  const std::string policy = from_group_1(
      "[[group]]\nid = 1\nmode = 'all'\nmatch = 2\nmismatch = 'OUT'\n"
      "rule = [{ payload = 'bad', label = 'bad', final = true }, { payload = 'a', label = 'a' }]\n"
      "[[group]]\nid = 2\nmatch = 'DROP'\nrule = [{ label_is = 'bad' }]\n");
  const std::vector<TalkedPacket> packets = {udp("a"), back(udp("bad")), udp("a"), udp("-"), {.to = 80}};
  const std::string expected = "1+ 2- OUT a\n1+ 2+ DROP bad;a\nDROP\nDROP\n1- OUT\n";
  EXPECT_EQ(PolicyTalk(policy).say(packets), expected);
  PolicyTalk talk(policy);
  EXPECT_EQ(talk.say_one_by_one(packets), expected);
  const PolicyCounters counters = talk.counters();
  EXPECT_EQ(counters.rounds, 5u) << "later packets take no rounds";
  EXPECT_EQ(counters.dropped, 3u);
  EXPECT_EQ(counters.groups[0].matched, 2u);
  EXPECT_EQ(counters.groups[0].mismatched, 1u);
  EXPECT_EQ(counters.hits, (std::vector<std::uint64_t>{1, 2, 1}));
}

// A packet may come to a group in a later round than a packet behind it: it is before it there all the same.
TEST(PolicyRounds, MeetAGroupInTheOrderOfTheTrace) {
  const std::string policy = "[init]\ndefault = 3\nrule = [{ payload_length = '2-', to = 1 }]\n" +
                             one_group(1, "label = 'x'", "2") + one_group(2, "label = 'y'", "3") +
                             one_group(3, "after = 2, label = 'second'");
  const std::vector<TalkedPacket> packets = {udp("long"), udp("1"), udp("long"), udp("1")};
  const std::string expected = "1+ 2+ 3- OUT x;y\n3+ OUT second\n1+ 2+ 3+ OUT x;y;second\n3+ OUT second\n";
  EXPECT_EQ(PolicyTalk(policy).say(packets), expected);
  EXPECT_EQ(PolicyTalk(policy).say_one_by_one(packets), expected);
  EXPECT_EQ(PolicyTalk(policy, false).say(packets), expected);
}

TEST(PolicyRounds, MayBeBounded) {
  const std::string chain =
      from_group_1(one_group(1, "label = 'a'", "2") + one_group(2, "label = 'b'", "3") + one_group(3, "label = 'c'"));
  const auto say = [&](std::uint32_t most) { return PolicyTalk(chain, false, {.most_rounds = most}).say({udp("x")}); };
  EXPECT_EQ(say(1), "1+ OUT a truncated\n");
  EXPECT_EQ(say(2), "1+ 2+ OUT a;b truncated\n");
  EXPECT_EQ(say(3), "1+ 2+ 3+ OUT a;b;c\n");
}

// From batch to batch, as a live capture has it: each packet has the labels of the bound that is in force then, and
// none is dropped.
TEST(PolicyRounds, MayHaveABoundThatChanges) {
  const std::string chain =
      from_group_1(one_group(1, "label = 'a'", "2") + one_group(2, "label = 'b'", "3") + one_group(3, "label = 'c'"));
  const auto bound = std::make_shared<RoundsBound>();
  PolicyTalk talk(chain, false, {.bound = bound});
  std::uint64_t rounds = 0;
  for (const std::uint32_t most : {RoundsBound::kNone, 1u, 2u, RoundsBound::kNone, 2u}) {
    bound->change(most);
    const std::vector<TalkedPacket> packets(300, udp("x"));
    EXPECT_EQ(talk.say(packets), PolicyTalk(chain, false, {.most_rounds = most}).say(packets)) << most;
    EXPECT_EQ(talk.passed(), packets.size()) << most;
    rounds += packets.size() * std::min(most, 3u);
  }
  EXPECT_EQ(talk.counters().truncated, 900u);
  EXPECT_EQ(talk.counters().dropped, 0u);
  EXPECT_EQ(bound->work().rounds, rounds);
  EXPECT_EQ(bound->work().packets, 1500u);
  EXPECT_GT(bound->work().ns, 0);
}

// A group that some packets do not reach does not find what begins in one of these, and goes on with the text behind.
TEST(PolicyRounds, ATextBeginsAnewBehindWhatTheBoundKeptFromItsGroup) {
  const auto bound = std::make_shared<RoundsBound>();
  PolicyTalk talk(from_group_1(one_group(1, "stream = 'abcd', label = 'one'", "2") +
                               one_group(2, "stream = 'abcd', label = 'two'")),
                  false, {.bound = bound});
  EXPECT_EQ(talk.say({{.text = "ab", .sequence = 100}}), "1- 2- OUT\n");
  bound->change(1);
  EXPECT_EQ(talk.say({{.text = "cd", .sequence = 102}}), "1+ OUT one truncated\n");
  EXPECT_EQ(talk.say({{.text = "ab", .sequence = 104}}), "1- OUT truncated\n");
  bound->change(RoundsBound::kNone);
  EXPECT_EQ(talk.say({{.text = "cd", .sequence = 106}}), "1+ 2- OUT one\n") << "group 2 has not seen what is before";
  EXPECT_EQ(talk.say({{.text = "ab", .sequence = 108}}), "1- 2- OUT\n");
  EXPECT_EQ(talk.say({{.text = "cd", .sequence = 110}}), "1+ 2+ OUT one;two\n");
}

// Groups 1 and 2 share a scan, so do 4 and 5: a packet goes through both or through none, but always through the first.
TEST(PolicyRounds, AChainThatSharesAScanCountsAsAllItsRounds) {
  const auto bound = std::make_shared<RoundsBound>();
  PolicyTalk talk(from_group_1(one_group(1, "stream = 'ab', label = 'a'", "2") +
                               "[[group]]\nid = 2\nmatch = 3\nrule = [{ stream = 'x', label = 'b' }]\n" +
                               one_group(3, "label = 'c'", "4") + one_group(4, "stream = 'xyz', label = 'd'", "5") +
                               one_group(5, "stream = 'xyz', label = 'e'")),
                  true, {.bound = bound});
  ASSERT_EQ(talk.policy().units().size(), 2u);
  const auto say = [&](std::uint32_t most, const char* text, std::uint32_t sequence) {
    bound->change(most);
    return talk.say({{.text = text, .sequence = sequence}});
  };
  EXPECT_EQ(say(1, "abx", 100), "1+ 2+ OUT a;b truncated\n");
  EXPECT_EQ(say(2, "ab-", 103), "1+ 2- OUT a\n");
  EXPECT_EQ(say(4, "abx", 106), "1+ 2+ OUT a;b truncated\n") << "4 is not enough for 3, 4 and 5";
  EXPECT_EQ(say(5, "xxy", 109), "1- 2+ 3+ 4- 5- OUT b;c\n");
  EXPECT_EQ(say(RoundsBound::kNone, "z-x", 112), "1- 2+ 3+ 4+ 5+ OUT b;c;d;e\n");
  EXPECT_EQ(say(5, "xxy", 115), "1- 2+ 3+ 4- 5- OUT b;c\n");
  EXPECT_EQ(say(4, "z-x", 118), "1- 2+ OUT b truncated\n");
  EXPECT_EQ(say(5, "z-x", 121), "1- 2+ 3+ 4- 5- OUT b;c\n") << "what went by them is missing in their text";
}

TEST(PolicyRounds, OfMorePacketsThanRunAtOnceAreAsOfFew) {
  const std::string policy = from_group_1(one_group(1, "payload = 'x', after = 300, label = 'late', next = 'DROP'"));
  const std::vector<TalkedPacket> packets(700, udp("x"));
  PolicyTalk talk(policy);
  const std::string met = talk.say(packets);
  EXPECT_EQ(std::ranges::count(met, '\n'), 700);
  EXPECT_EQ(talk.counters().dropped, 401u);
  EXPECT_EQ(talk.passed(), 299u);
  EXPECT_EQ(met, PolicyTalk(policy).say_one_by_one(packets));
}

TEST(PolicyRounds, TakeAValueThatComesInTwoPackets) {
  PolicyTalk talk(from_group_1(one_group(1, "payload = 'GET', field = { host = 'http.host' }")));
  talk.say({{.text = "GET / HTTP/1.1\r\nHo", .sequence = 100}, {.from = 80, .to = 1000, .sequence = 500}});
  EXPECT_TRUE(talk.values().empty());
  talk.say({{.text = "st: a.b\r\n\r\nGET / HTTP/1.1\r\nHost: other\r\n\r\n", .sequence = 118}});
  EXPECT_EQ(talk.values(), (std::vector<std::string>{"1000>80 host=a.b", "80>1000 host=a.b"})) << "of both directions";
  talk.say({{.text = "GET / HTTP/1.1\r\nHost: third\r\n\r\n", .sequence = 160}});
  EXPECT_EQ(talk.values().size(), 2u) << "the first value stays";
}

TEST(PolicyRounds, TakeNoValueFromBehindAPacketThatWasDropped) {
  PolicyTalk talk(
      from_group_1("[[group]]\nid = 1\nmode = 'all'\nmatch = 'OUT'\n"
                   "rule = [{ payload = 'drop', next = 'DROP' }, { field = { host = 'http.host' } }]\n"));
  talk.say({{.text = "GET / HTTP/1.1\r\ndrop: 1\r\nHo", .sequence = 100}, {.text = "st: a\r\n\r\n", .sequence = 127}});
  EXPECT_TRUE(talk.values().empty());
}

TEST(PolicyRounds, TakeAValueFromWhatCameBeforeItWasAskedFor) {
  PolicyTalk talk(from_group_1(one_group(1, "payload = 'now', field = { host = 'http.host' }")));
  talk.say({{.text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n", .sequence = 100}});
  talk.say({{.from = 80, .to = 1000, .text = "now", .sequence = 500}});
  EXPECT_EQ(talk.values(), (std::vector<std::string>{"1000>80 host=a", "80>1000 host=a"}));
}

TEST(PolicyRounds, OfAnotherConnectionOnThePortsBeginAnew) {
  PolicyTalk talk(from_group_1(one_group(1, "after = 2, label = 'second'")));
  EXPECT_EQ(talk.say({{.sequence = 100, .flags = kSyn}, {.text = "a", .sequence = 101}}), "1- OUT\n1+ OUT second\n");
  EXPECT_EQ(talk.say({{.sequence = 9000, .flags = kSyn}, {.text = "a", .sequence = 9001}}), "1- OUT\n1+ OUT second\n");
}

TEST(PolicyRounds, SeeVlanLengthsAndFlags) {
  PolicyTalk talk(from_group_1(
      "[[group]]\nid = 1\nmode = 'all'\n"
      "rule = [{ vlan = 7, label = 'vlan' }, { length = 43, label = '43' }, { payload_length = '1-3', label = 'few' }, "
      "{ flags = 'P', not_flags = 'S', label = 'push' }]\n"));
  EXPECT_EQ(
      talk.say(
          {{.text = "abc", .flags = kAck | kPush, .vlan = 7}, {.text = "abcd", .flags = kPush | kSyn}, udp("abc")}),
      "1+ OUT vlan;43;few;push\n1- OUT\n1+ OUT 43;few\n");
}

}  // namespace
}  // namespace warpmeter
