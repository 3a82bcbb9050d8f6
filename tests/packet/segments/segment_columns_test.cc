// What columns hold: differences as zigzag, TCP's identity taken apart, what a segment foretells of the next.
#include "packet/segments/segment_columns.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/segment_maker.h"

namespace warpmeter {
namespace {

TEST(Zigzag, SmallNumbersOfEitherSignAreSmall) {
  EXPECT_EQ(zigzag<std::uint32_t>(0), 0u);
  EXPECT_EQ(zigzag<std::uint32_t>(-1u), 1u);
  EXPECT_EQ(zigzag<std::uint32_t>(1), 2u);
  EXPECT_EQ(zigzag<std::uint32_t>(-2u), 3u);
  EXPECT_EQ(zigzag<std::uint32_t>(0x7fffffff), 0xfffffffeu);
  EXPECT_EQ(zigzag<std::uint32_t>(0x80000000), 0xffffffffu);
}

TEST(Zigzag, ComesBack) {
  for (unsigned n = 0; n < 65536; ++n) {
    const auto value = static_cast<std::uint16_t>(n);
    ASSERT_EQ(from_zigzag(zigzag(value)), value);
    ASSERT_EQ(zigzag(from_zigzag(value)), value);
  }
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1} << 63,
                                (std::uint64_t{1} << 63) - 1, std::uint64_t{0x123456789abcdef0}}) {
    EXPECT_EQ(from_zigzag(zigzag(n)), n);
    EXPECT_EQ(from_zigzag(zigzag(static_cast<std::uint32_t>(n))), static_cast<std::uint32_t>(n));
  }
}

TEST(TcpIdentity, IsTakenApartWithoutLoss) {
  const std::uint64_t a = 0x0123456789abcdef;
  const std::uint32_t b = 0x98fedcba;
  const TcpIdentity identity(a, b);
  EXPECT_EQ(identity.acknowledgement, 0x01234567u);
  EXPECT_EQ(identity.checksum, 0x89ab);
  EXPECT_EQ(identity.urgent, 0xcdef);
  EXPECT_EQ(identity.id, 0xfedc);
  EXPECT_EQ(identity.offset, 0xba);
  EXPECT_EQ(identity.options, 0x98);
  EXPECT_EQ(identity.a(), a);
  EXPECT_EQ(identity.b(), b);
}

TEST(ForetoldSegment, GoesOnBehindWhatTheSegmentTakes) {
  const TcpIdentity identity(0, 0x50);
  Segment s = test::test_segment(0).tcp(0xffffffff, kSyn | kFin, 10);
  const ForetoldSegment next = after(s, identity);
  EXPECT_TRUE(next.known);
  EXPECT_EQ(next.sequence, 11u);
  EXPECT_EQ(next.ip_headers, 20u);
  s.flags = kAck;
  EXPECT_EQ(after(s, identity).sequence, 9u);
}

}  // namespace
}  // namespace warpmeter
