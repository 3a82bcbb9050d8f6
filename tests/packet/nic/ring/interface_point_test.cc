#include "packet/nic/ring/interface_point.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

TEST(InterfacePoint, WhoseFramesCannotBeFilteredIsNamed) {
  std::uint16_t asked = kUnknownLink;
  const FilterOfLink none = [&asked](std::uint16_t link) -> FilterProgram {
    asked = link;
    throw Error("no tags here");
  };
  EXPECT_EQ(thrown_text([&] { require_filter(none, "tun0", kLinkRaw); }), "tun0: no tags here");
  EXPECT_EQ(asked, kLinkRaw);
  EXPECT_NO_THROW(require_filter([](std::uint16_t) { return FilterProgram(); }, "tun0", kLinkRaw));
  EXPECT_NO_THROW(require_filter({}, "tun0", kLinkRaw)) << "no filter";
}

}  // namespace
}  // namespace warpmeter::test
