// JSON lines from elsewhere, and everything that is none.
#include "record/read/text_readers.h"

#include <gtest/gtest.h>

#include "record/read/read_text.h"
#include "support/export_records.h"

namespace warpmeter {
namespace {

using test::read_text;
using test::refusal;

const std::string kKey =
    R"("src_addr":"10.0.0.1","dst_addr":"10.0.0.2","src_port":1,"dst_port":2,"protocol":6,"start_ns":100,"end_ns":200)";
const std::string kGood = "{" + kKey + ",\"packets\":3}\n";

TEST(JsonReader, PassesOverWhatItDoesNotKnow) {
  const auto read = read_text<JsonReader>("{\"tags\":{\"packets\":9,\"list\":[1,{\"bytes\":\"x\"}]},\"ok\":true," +
                                          kKey + ",\"none\":null,\"packets\":3,\"f\":1.5}\n");
  EXPECT_FALSE(read.damage);
  ASSERT_EQ(read.flows.size(), 1u);
  const FlowRecord& r = read.flows[0].forward;
  EXPECT_EQ(r.key, test::key_of("10.0.0.1", "10.0.0.2", 1, 2, 6));
  EXPECT_EQ(r.packets, 3u);
  EXPECT_EQ(r.absent >> column_number("packets") & 1, 0u);
  EXPECT_EQ(r.absent >> column_number("bytes") & 1, 1u);
}

TEST(JsonReader, TakesStringsOfNumbersAndWholeFloats) {
  const auto read = read_text<JsonReader>("{" + kKey + ",\"packets\":\"12\",\"bytes\":13.0}\n");
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].forward.packets, 12u);
  EXPECT_EQ(read.flows[0].forward.bytes, 13u);
}

// Members are recognised by their place; another order must not confuse them.
TEST(JsonReader, OrderMayChangeFromLineToLine) {
  const auto read = read_text<JsonReader>("{" + kKey + ",\"packets\":1,\"bytes\":2}\n{\"bytes\":4,\"packets\":3," +
                                          kKey + "}\n" + "{" + kKey + "}\n");
  ASSERT_EQ(read.flows.size(), 3u);
  EXPECT_EQ(read.flows[1].forward.packets, 3u);
  EXPECT_EQ(read.flows[1].forward.bytes, 4u);
  EXPECT_EQ(read.flows[2].forward.absent >> column_number("packets") & 1, 1u);
}

TEST(JsonReader, NeedsNoLastLineEndAndPassesOverEmptyLines) {
  const auto read = read_text<JsonReader>("\n" + kGood + "\n{" + kKey + "}");
  EXPECT_EQ(read.flows.size(), 2u);
  EXPECT_FALSE(read.damage);
}

TEST(JsonReader, EmptyIsNoFlows) { EXPECT_TRUE(read_text<JsonReader>("").flows.empty()); }

TEST(JsonReader, RefusesWhatIsNoFlowRecords) {
  EXPECT_NE(refusal<JsonReader>("{\"a\":1}\n").find("in: no Flow Records: line 1: no src_addr"), std::string::npos);
  EXPECT_NE(refusal<JsonReader>("{not json}\n").find("line 1: no JSON object"), std::string::npos);
  const std::string endless(5 * TextSource::kLongest, ' ');
  EXPECT_NE(refusal<JsonReader>("{" + endless + "}\n").find("line 1: too long"), std::string::npos);
}

struct BadLine {
  std::string line;
  const char* reason;
};

class JsonDamage : public testing::TestWithParam<BadLine> {};

TEST_P(JsonDamage, EndsTheFileWhereItIs) {
  const auto read = read_text<JsonReader>(kGood + GetParam().line + "\n" + kGood);
  EXPECT_EQ(read.flows.size(), 1u);
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->offset, kGood.size());
  EXPECT_EQ(read.damage->reason, std::string("line 2: ") + GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, JsonDamage,
    testing::Values(BadLine{"{" + kKey, "no JSON object"}, BadLine{"[1]", "a list is no JSON object"},
                    BadLine{"3", "a line is no JSON object"}, BadLine{"{}", "no src_addr"},
                    BadLine{"{" + kKey + "} x", "no JSON object"},
                    BadLine{"{" + kKey + ",\"packets\":-1}", "packets: '-1' is not possible here"},
                    BadLine{"{" + kKey + ",\"packets\":1.5}", "packets: '1.5' is not a whole number"},
                    BadLine{"{" + kKey + ",\"packets\":18446744073709551615}",
                            "packets: '18446744073709551615' is not a whole number"},
                    BadLine{"{" + kKey + ",\"packets\":true}", "packets: 'true' is not a whole number"},
                    BadLine{"{" + kKey + ",\"packets\":[3]}", "packets: a list is not a whole number"},
                    BadLine{"{" + kKey + ",\"packets\":\"x\"}", "packets: 'x' is not a number"},
                    BadLine{"{" + kKey + ",\"dst_addr\":7}", "dst_addr: '7' is not possible here"}));

}  // namespace
}  // namespace warpmeter
