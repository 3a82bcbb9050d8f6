// Which segments may open an incarnation.
#include "warpmeter/segment.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

Segment with(std::uint8_t kind, std::uint8_t flags) {
  Segment s;
  s.kind = kind;
  s.flags = flags;
  return s;
}

TEST(Segment, SynOpens) {
  EXPECT_TRUE(is_opening(with(kTcpSegment, kSyn)));
  EXPECT_TRUE(is_opening(with(kTcpSegment | kAnonymous | kHasIdentity, kSyn | kFin | 0x10)));
}

TEST(Segment, SynWithResetDoesNotOpen) { EXPECT_FALSE(is_opening(with(kTcpSegment, kSyn | kRst))); }

TEST(Segment, OtherFlagsDoNotOpen) { EXPECT_FALSE(is_opening(with(kTcpSegment, 0xff & ~kSyn & ~kRst))); }

TEST(Segment, WithoutAWholeTcpHeaderNothingOpens) {
  EXPECT_FALSE(is_opening(with(kHasIdentity, kSyn)));
  EXPECT_FALSE(is_tcp(with(kHasIdentity | kAnonymous, 0)));
}

}  // namespace
}  // namespace warpmeter::test
