// What patterns of streams see: bytes in order, each once, of one group and one direction, as long as nothing is
// missing.
#include <gtest/gtest.h>

#include "policy/rounds/policy_rounds.h"
#include "policy/rounds/policy_talk.h"

namespace warpmeter {
namespace {

using test::one_group;
using test::PolicyTalk;
using test::TalkedPacket;
using test::udp;

// What a client says at this offset, and a server.
TalkedPacket client(std::uint32_t offset, const std::string& text, std::uint8_t flags = kAck) {
  return {.text = text, .sequence = 100 + offset, .flags = flags};
}
TalkedPacket server(std::uint32_t offset, const std::string& text) {
  return {.from = 80, .to = 1000, .text = text, .sequence = 500 + offset};
}
TalkedPacket opening() { return {.sequence = 99, .flags = kSyn}; }

// One group with these rules; a line a packet: its labels.
std::string labels(const std::string& rules, const std::vector<TalkedPacket>& packets) {
  const std::string policy = "[init]\ndefault = 1\n[[group]]\nid = 1\nmode = 'all'\nrule = [" + rules + "]\n";
  const auto shown = [](const std::string& log) {
    std::string all;
    std::size_t at = 0;
    while (at < log.size()) {
      const std::size_t end = log.find('\n', at), out = log.find("OUT", at) + 3;
      all += log.substr(out, end - out) + ",";
      at = end + 1;
    }
    return all;
  };
  const std::string at_once = shown(PolicyTalk(policy).say(packets));
  EXPECT_EQ(shown(PolicyTalk(policy).say_one_by_one(packets)), at_once) << "one by one";
  return at_once;
}

TEST(PolicyStreams, GoOnFromPacketToPacket) {
  EXPECT_EQ(labels("{ stream = 'abcd', label = 'x' }", {client(0, "..ab"), client(4, "cd.."), client(8, "cd")}),
            ", x,,");
  EXPECT_EQ(labels("{ payload = 'abcd', label = 'x' }", {client(0, "..ab"), client(4, "cd.."), client(8, "abcd")}),
            ",, x,")
      << "a payload is of its packet alone";
}

// A packet holds where the match ends, though it began in an earlier one, and only there.
TEST(PolicyStreams, HoldWhereAMatchEnds) {
  EXPECT_EQ(labels("{ stream = 'a.{2,4}b', label = 'x' }",
                   {client(0, "a..b"), client(4, "b"), client(5, "b"), client(6, "b")}),
            " x, x, x,,");
}

TEST(PolicyStreams, HaveADirectionEach) {
  EXPECT_EQ(labels("{ stream = 'ab', label = 'x' }", {client(0, "a"), server(0, "b"), client(1, "b"), server(1, "ab")}),
            ",, x, x,");
}

TEST(PolicyStreams, AreInTheOrderOfTheSender) {
  // The packet that fills the hole delivers both.
  EXPECT_EQ(labels("{ stream = 'abcd', label = 'x' }", {opening(), client(2, "cd"), client(0, "ab")}), ",, x,");
  EXPECT_EQ(labels("{ stream = 'cd', label = 'x' }", {opening(), client(2, "cd"), client(0, "ab")}), ",, x,");
}

TEST(PolicyStreams, HaveEachByteOnce) {
  EXPECT_EQ(labels("{ stream = 'ab', label = 'x' }", {client(0, "ab"), client(0, "ab"), client(0, "abc")}), " x,,,");
  EXPECT_EQ(labels("{ stream = 'z', label = 'x' }, { stream = 'bd', label = 'y' }", {client(0, "ab"), client(1, "zd")}),
            ", y,")
      << "and of it the first copy";
}

TEST(PolicyStreams, BeginWhereTheirFirstByteDoes) {
  EXPECT_EQ(
      labels("{ stream = '^ab', label = 'x' }", {client(0, "a"), client(1, "b"), client(2, "ab"), server(0, "ab")}),
      ", x,, x,");
}

TEST(PolicyStreams, BeginAnewBehindAGap) {
  // Its end was not captured: that is known at once.
  TalkedPacket cut = client(0, "ab##");
  cut.cut = 2;
  EXPECT_EQ(
      labels("{ stream = 'ab.*cd', label = 'x' }, { stream = 'cd', label = 'y' }, { stream = '^cd', label = 'z' }",
             {opening(), cut, client(4, "cd")}),
      ",, y,");
  // Nine pieces wait for it: it will not come.
  std::vector<TalkedPacket> packets = {opening(), client(0, "ab")};
  for (std::uint32_t i = 0; i < 9; ++i) packets.push_back(client(10 + 2 * i, "c" + std::to_string(i)));
  EXPECT_EQ(labels("{ stream = 'ab.*c', label = 'x' }, { stream = 'c8', label = 'y' }", packets), ",,,,,,,,,, y,");
}

TEST(PolicyStreams, BeginAnewWhereAPacketTookAnotherPath) {
  const std::string policy = "[init]\ndefault = 1\nrule = [{ flags = 'P', to = 2 }]\n" +
                             one_group(1, "stream = 'abc', label = 'one'") +
                             one_group(2, "stream = 'b', label = 'two'");
  const std::vector<TalkedPacket> packets = {client(0, "a"), client(1, "b", kAck | 8), client(2, "c"),
                                             client(3, "abc")};
  EXPECT_EQ(PolicyTalk(policy).say(packets), "1- OUT\n2+ OUT two\n1- OUT\n1+ OUT one\n");
}

// What another group does in between does not change them: the same packets go through it, or others.
TEST(PolicyStreams, AreOfTheirGroup) {
  const std::string both = "[init]\ndefault = 1\n" + one_group(1, "stream = 'ab', label = 'one'", "2") +
                           one_group(2, "stream = 'abc', label = 'two'");
  for (const bool fuse : {true, false}) {
    EXPECT_EQ(PolicyTalk(both, fuse).say({client(0, "a"), client(1, "b"), client(2, "c")}),
              "1- 2- OUT\n1+ 2- OUT one\n1- 2+ OUT two\n");
  }
}

TEST(PolicyStreams, SeeAllThatIsDeliveredToTheirGroup) {
  EXPECT_EQ(labels("{ stream = 'ab', not_flags = 'P', label = 'x' }", {client(0, "a", kAck | 8), client(1, "b")}),
            ", x,")
      << "whatever their other conditions say";
  const std::string first =
      "[init]\ndefault = 1\n[[group]]\nid = 1\nrule = [{ payload = 'a', label = 'first' }, "
      "{ stream = 'ab', label = 'x' }]\n";
  EXPECT_EQ(PolicyTalk(first).say({client(0, "a"), client(1, "b")}), "1+ OUT first\n1+ OUT x\n")
      << "or an earlier rule holds";
}

TEST(PolicyStreams, OfADatagramAreItsOwn) {
  EXPECT_EQ(labels("{ stream = 'ab', label = 'x' }, { stream = '^b', label = 'y' }", {udp("a"), udp("b"), udp("ab")}),
            ", y, x,");
}

// Its frame may be gone by the time that what it waited for comes.
TEST(PolicyStreams, KeepWhatWaits) {
  PolicyTalk talk("[init]\ndefault = 1\n" + one_group(1, "stream = '^abcdef', label = 'x'"));
  EXPECT_EQ(talk.say({opening(), client(4, "ef"), client(2, "cd")}), "1- OUT\n1- OUT\n1- OUT\n");
  EXPECT_EQ(talk.say({client(0, "ab")}), "1+ OUT x\n");
}

// Nobody sees what comes out of a connection at its end, or when another takes its place.
TEST(PolicyStreams, HaveNothingThatNoPacketDelivers) {
  const std::string rule = "{ stream = 'cd', label = 'x' }";
  const TalkedPacket other = {.sequence = 9000, .flags = kSyn};
  EXPECT_EQ(labels(rule, {opening(), client(2, "cd"), other}), ",,,");
  TalkedPacket late = client(20, "ef");
  late.time_ns = 65 * test::kPolicySecond;
  EXPECT_EQ(labels(rule, {opening(), client(2, "cd"), late}), ",,,");
}

}  // namespace
}  // namespace warpmeter
