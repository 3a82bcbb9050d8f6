#include "packet/file/capture_links.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

// Raw IP is not to be read.
CaptureOptions without_raw(int& asked) {
  CaptureOptions options;
  options.refusal = [&asked](std::uint16_t link) -> std::string {
    ++asked;
    return link == kLinkRaw || link == kLinkIpv4 ? "no such filter" : "";
  };
  options.left_out = std::make_shared<LeftOut>();
  return options;
}

TEST(LeftOut, AFileOfOneLinkTypeIsAnError) {
  int asked = 0;
  const std::string text = thrown_text([&] { require_link("f", kLinkRaw, without_raw(asked)); });
  EXPECT_EQ(text.find("f: link type 101"), 0u) << text;
  EXPECT_TRUE(text.ends_with(": no such filter")) << text;
  EXPECT_NO_THROW(require_link("f", kLinkNull, without_raw(asked)));
  EXPECT_NO_THROW(require_link("f", kLinkRaw, {}));
}

TEST(LeftOut, AFileOfSeveralIsToldOncePerLinkType) {
  int asked = 0;
  const CaptureOptions options = without_raw(asked);
  for (int opened = 0; opened < 2; ++opened) {
    LinksOfFile links("f", options);
    EXPECT_TRUE(links.is_refused(kLinkRaw));
    EXPECT_FALSE(links.is_refused(kLinkEthernet));
    EXPECT_TRUE(links.is_refused(kLinkRaw));
    EXPECT_TRUE(links.is_refused(kLinkIpv4));
    EXPECT_EQ(options.left_out->lines().size(), static_cast<std::size_t>(opened)) << "nothing before a frame comes";
    for (int frame = 0; frame < 3; ++frame) links.leave_out(kLinkRaw);
    ASSERT_EQ(options.left_out->lines().size(), 1u);
    EXPECT_TRUE(options.left_out->lines()[0].ends_with(": no such filter; its packets are left out"));
  }
  EXPECT_LE(asked, 10) << "not for each frame";
}

TEST(LeftOut, AFileThatHasToldOfNoOtherIsAnError) {
  int asked = 0;
  LinksOfFile links("f", without_raw(asked));
  EXPECT_TRUE(links.is_refused(kLinkRaw));
  EXPECT_NE(thrown_text([&] { links.leave_out(kLinkRaw); }), "");
}

TEST(LeftOut, WithoutAFilterAllIsRead) {
  LinksOfFile links("f", {});
  EXPECT_FALSE(links.is_refused(kLinkRaw));
}

}  // namespace
}  // namespace warpmeter::test
