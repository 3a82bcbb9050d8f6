// Which segments may open an incarnation, and which are data segments.
#include "core/segment.h"

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

Segment with_payload(std::uint8_t kind, std::uint8_t flags, std::uint32_t payload) {
  Segment s = with(kind, flags);
  s.payload_length = payload;
  return s;
}

TEST(Segment, PayloadMakesADataSegment) {
  EXPECT_TRUE(is_data(with_payload(kTcpSegment, 0, 1)));
  EXPECT_TRUE(is_data(with_payload(kTcpSegment | kHasIdentity | kAnonymous, 0xff & ~kRst, 1)));
  EXPECT_FALSE(is_data(with_payload(kTcpSegment, 0xff & ~kRst, 0)));
}

TEST(Segment, ResetsAndWhatIsNoTcpAreNoData) {
  EXPECT_FALSE(is_data(with_payload(kTcpSegment, kRst, 1)));
  EXPECT_FALSE(is_data(with_payload(kHasIdentity | kAnonymous, 0, 1)));
}

}  // namespace
}  // namespace warpmeter::test
