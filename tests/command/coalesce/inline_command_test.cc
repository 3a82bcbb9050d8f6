#include <gtest/gtest.h>

#include "command/coalesce/inline_command.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

TEST(InlineOutput, IsReadAsItIsWritten) {
  const InlineOutput tap = parse_inline_output("tap:tap0");
  EXPECT_TRUE(tap.is_tap);
  EXPECT_EQ(tap.name, "tap0");
  EXPECT_EQ(tap.space, "");
  const InlineOutput elsewhere = parse_inline_output("tap:t@host");
  EXPECT_EQ(elsewhere.name, "t");
  EXPECT_EQ(elsewhere.space, "host");
  EXPECT_EQ(parse_inline_output("tap:t@/proc/1/ns/net").space, "/proc/1/ns/net");
  const InlineOutput interface = parse_inline_output("if:eth1");
  EXPECT_FALSE(interface.is_tap);
  EXPECT_EQ(interface.name, "eth1");
}

TEST(InlineOutput, OthersAreRefused) {
  for (const char* const bad : {"", "tap:", "tap:@host", "tap:tap0@", "if:", "eth1", "tun:tun0"}) {
    const std::string text = thrown_text([bad] { parse_inline_output(bad); });
    EXPECT_TRUE(text.starts_with("--to ")) << bad << ": " << text;
  }
}

// The kernel would make another one of them, or none.
TEST(InlineOutput, ATapHasANameThatTheKernelTakes) {
  for (const char* const bad : {"tap:t%d", "tap:a/b@host", "tap:a b", "tap:a\xa0", "tap:a\tb", "tap:a:b", "tap:.",
                                "tap:..", "tap:a_name_of_16_byt"}) {
    const std::string text = thrown_text([bad] { parse_inline_output(bad); });
    EXPECT_NE(text.find(": no name of a TAP device: 1 to 15 bytes"), std::string::npos) << bad << ": " << text;
  }
  EXPECT_EQ(parse_inline_output("tap:a_name_of_15_by").name, "a_name_of_15_by");
  EXPECT_EQ(parse_inline_output("tap:...").name, "...");
}

}  // namespace
}  // namespace warpmeter::test
