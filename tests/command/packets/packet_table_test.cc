// The word of each verdict, and sets of them by their words.
#include "command/packets/packet_table.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using Kind = Verdict::Kind;

std::string_view word(Kind kind, std::uint32_t seen_before = 0, bool has_strays = true) {
  Verdict verdict;
  verdict.kind = kind;
  verdict.seen_before = seen_before;
  return word_of(packet_verdict(verdict, has_strays));
}

TEST(PacketVerdict, HasOneWordForEachKind) {
  EXPECT_EQ(word(Kind::no_numbers), "no_segment");
  EXPECT_EQ(word(Kind::duplicate), "duplicate");
  EXPECT_EQ(word(Kind::keep_alive, 1), "keep_alive");
  EXPECT_EQ(word(Kind::retransmitted, 10), "retransmitted");
  EXPECT_EQ(word(Kind::out_of_order), "out_of_order");
  EXPECT_EQ(word(Kind::stray), "stray");
  for (const Kind kind : {Kind::reset, Kind::first, Kind::in_order, Kind::ahead, Kind::behind, Kind::second_answer}) {
    EXPECT_EQ(word(kind), "new");
  }
}

// Method five-tuple counts what came again whatever else it is, and no strays.
TEST(PacketVerdict, CountsAsTheMethodDoes) {
  EXPECT_EQ(word(Kind::stray, 10, false), "retransmitted");
  EXPECT_EQ(word(Kind::stray, 0, false), "new");
}

TEST(VerdictSet, HasWhatIsNamed) {
  const VerdictSet some = VerdictSet::named("duplicate,new");
  EXPECT_TRUE(some.has(PacketVerdict::duplicate));
  EXPECT_TRUE(some.has(PacketVerdict::fresh));
  EXPECT_FALSE(some.has(PacketVerdict::stray));
  EXPECT_FALSE(some.has_all());
  EXPECT_TRUE(VerdictSet::named("new,retransmitted,duplicate,out_of_order,keep_alive,stray,no_segment").has_all());
}

TEST(VerdictSet, RefusesOtherWords) {
  for (const char* const words : {"", "news", "new,", ",new", "new duplicate"}) {
    EXPECT_NE(test::thrown_text([&] { VerdictSet::named(words); }).find("is no verdict"), std::string::npos) << words;
  }
}

}  // namespace
}  // namespace warpmeter
