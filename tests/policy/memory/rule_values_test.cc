// Values of rules, and what is said of those that are none.
#include "policy/memory/rule_values.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/policy_text.h"

namespace warpmeter {
namespace {

using test::policy_error;

TEST(RuleValues, Ranges) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(parse_range("80"), (ValueRange{80, 80}));
  EXPECT_EQ(parse_range("80-90"), (ValueRange{80, 90}));
  EXPECT_EQ(parse_range("1000-"), (ValueRange{1000, kMost}));
  EXPECT_EQ(parse_range("0-0"), (ValueRange{0, 0}));
  for (const char* none :
       {"", "-", "-4", "a", "80-a", "80-90-100", " 80", "+1", "18446744073709551616", "1.5", "0x10"}) {
    EXPECT_EQ(policy_error([&] { parse_range(none); }),
              "'" + std::string(none) + "' is no number and no range such as 80-90 or 1000-");
  }
  EXPECT_EQ(policy_error([] { parse_range("90-80"); }), "'90-80': the range is empty");
}

TEST(RuleValues, Prefixes) {
  EXPECT_EQ(parse_prefix("10.0.0.0/8"), (AddressPrefix{4, 8, {10}}));
  EXPECT_EQ(parse_prefix("10.1.2.3"), (AddressPrefix{4, 32, {10, 1, 2, 3}}));
  EXPECT_EQ(parse_prefix("10.128.0.0/9"), (AddressPrefix{4, 9, {10, 128}}));
  EXPECT_EQ(parse_prefix("0.0.0.0/0"), (AddressPrefix{4, 0, {}}));
  EXPECT_EQ(parse_prefix("::/0"), (AddressPrefix{6, 0, {}}));
  EXPECT_EQ(parse_prefix("2001:db8::/32"), (AddressPrefix{6, 32, {0x20, 1, 0x0d, 0xb8}}));
  EXPECT_EQ(parse_prefix("ff00::").length, 128);
  for (const char* set : {"10.0.0.1/8", "10.64.0.0/9", "2001:db8::1/127", "::1/0"}) {
    EXPECT_EQ(policy_error([&] { parse_prefix(set); }), "'" + std::string(set) + "' has host bits set");
  }
  EXPECT_EQ(policy_error([] { parse_prefix("10.0.0.0/33"); }), "'10.0.0.0/33': a prefix has 0 to 32 bits");
  EXPECT_EQ(policy_error([] { parse_prefix("::/129"); }), "'::/129': a prefix has 0 to 128 bits");
  EXPECT_EQ(policy_error([] { parse_prefix("10.0.0.0/"); }), "'10.0.0.0/': a prefix has 0 to 32 bits");
  for (const char* none : {"", "/8", "10.0.0/8", "10.0.0.256", "host", "fe80::1%eth0", "10.0.0.01"}) {
    EXPECT_EQ(policy_error([&] { parse_prefix(none); }), "'" + std::string(none) + "' is no address and no prefix");
  }
}

TEST(RuleValues, ProtocolsAndFlags) {
  EXPECT_EQ(protocol_of("sctp"), 132);
  EXPECT_EQ(policy_error([] { protocol_of("TCP"); }), "unknown protocol 'TCP'");
  EXPECT_EQ(parse_flags(""), 0);
  EXPECT_EQ(parse_flags("SA"), 0x12);
  EXPECT_EQ(parse_flags("SS"), 0x02);
  EXPECT_EQ(parse_flags("FSRPAUEC"), 0xff);
  EXPECT_EQ(policy_error([] { parse_flags("Sx"); }), "'Sx': flags are of FSRPAUEC");
}

TEST(RuleValues, LabelsAndColumns) {
  const std::string longest(64, 'a');
  for (const std::string& good : {std::string("a"), std::string("A-z_0.9:/"), longest}) {
    EXPECT_EQ(policy_error([&] { check_label(good); }), "");
  }
  for (const std::string& bad :
       {std::string(), std::string("a b"), std::string("a;b"), std::string("\xc3\xa4"), longest + "a"}) {
    EXPECT_EQ(policy_error([&] { check_label(bad); }), "bad label '" + bad + "': 1 to 64 of letters, digits and _.:/-");
  }
  EXPECT_EQ(policy_error([] { check_column("_tls.sni2"); }), "");
  for (const std::string& bad :
       {std::string(), std::string("a,b"), std::string("2a"), std::string(".a"), longest + "a"}) {
    EXPECT_EQ(policy_error([&] { check_column(bad); }),
              "bad column '" + bad + "': a letter or _, then up to 63 of letters, digits and _.");
  }
}

TEST(RuleValues, Latin1) {
  EXPECT_EQ(latin1("a\x7f"), "a\x7f");
  EXPECT_EQ(latin1("\xc2\x80\xc3\xbf"), "\x80\xff");
  EXPECT_EQ(latin1("\xc4\x80"), std::nullopt);
  EXPECT_EQ(latin1("\xc3"), std::nullopt);
  EXPECT_EQ(in_quotes("a\n\x1b"), "'a\\n\\x1b'");
}

}  // namespace
}  // namespace warpmeter
