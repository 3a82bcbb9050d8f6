// Interface description blocks and their times: any resolution, any offset, cut to ns.
#include "packet/file/pcapng_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "packet/file/limits.h"
#include "support/byte_writer.h"
#include "warpmeter/frame.h"

namespace warpmeter::test {
namespace {

ByteWriter body(std::endian order = std::endian::little) {
  ByteWriter w(order);
  w.u16(1).u16(0).u32(0);
  return w;
}

PcapngInterface parse(const ByteWriter& w, bool swapped = false) {
  return PcapngInterface::parse(w.data().data(), w.data().size(), swapped);
}

PcapngInterface with(std::uint8_t resolution, std::int64_t offset_s = 0) {
  PcapngInterface i{};
  i.resolution = resolution;
  i.offset_s = offset_s;
  return i;
}

TEST(PcapngInterface, MicrosecondsUnlessSaidOtherwise) {
  const PcapngInterface i = parse(body());
  EXPECT_EQ(i.resolution, 6);
  EXPECT_EQ(i.offset_s, 0);
  EXPECT_EQ(i.time_ns(1'600'000'000'000'001), 1'600'000'000'000'001'000);
}

TEST(PcapngInterface, FieldsInBothByteOrders) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    ByteWriter w(order);
    w.u16(101).u16(0).u32(0x10203).u16(14).u16(8).u64(0x0102030405).u16(0).u16(0);
    const PcapngInterface i = parse(w, order == std::endian::big);
    EXPECT_EQ(i.link, 101);
    EXPECT_EQ(i.decoded_link, 101);
    EXPECT_EQ(i.snap_length, 0x10203u);
    EXPECT_EQ(i.offset_s, 0x0102030405);
  }
}

TEST(PcapngInterface, UnknownLinkKeepsItsNumber) {
  const PcapngInterface i = parse(ByteWriter(std::endian::little).u16(147).u16(0).u32(0));
  EXPECT_EQ(i.link, 147);
  EXPECT_EQ(i.decoded_link, kUnknownLink);
}

TEST(PcapngInterface, OptionsBehindOthersAreFound) {
  ByteWriter w = body();
  w.u16(2).u16(5).bytes({'e', 't', 'h', '0', '0'}).zeros(3).u16(9).u16(1).u8(9).zeros(3);
  EXPECT_EQ(parse(w).resolution, 9);
}

TEST(PcapngInterface, NothingCountsBehindTheEndOfOptions) {
  ByteWriter w = body();
  w.u16(0).u16(0).u16(9).u16(1).u8(9).zeros(3);
  EXPECT_EQ(parse(w).resolution, 6);
}

// Options are read from a buffer of exactly the size of the block.
TEST(PcapngInterface, CutOptionsAreIgnored) {
  ByteWriter whole = body();
  whole.u16(14).u16(8).u64(77).u16(9).u16(1).u8(3).zeros(3);
  for (std::size_t size = 8; size <= whole.data().size(); ++size) {
    const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[size]);
    std::copy_n(whole.data().begin(), size, exact.get());
    const PcapngInterface i = PcapngInterface::parse(exact.get(), size, false);
    EXPECT_EQ(i.offset_s, size >= 20 ? 77 : 0) << size;
    EXPECT_EQ(i.resolution, size >= 25 ? 3 : 6) << size;
  }
}

TEST(PcapngInterface, OffsetOfAnotherLengthIsIgnored) {
  EXPECT_EQ(parse(body().u16(14).u16(4).u32(77)).offset_s, 0);
  EXPECT_EQ(parse(body().u16(9).u16(0)).resolution, 6);
}

TEST(PcapngInterface, DecimalResolutions) {
  EXPECT_EQ(with(0).time_ns(3), 3'000'000'000);
  EXPECT_EQ(with(3).time_ns(3), 3'000'000);
  EXPECT_EQ(with(9).time_ns(3), 3);
  EXPECT_EQ(with(12).time_ns(3'999), 3);
  EXPECT_EQ(with(127).time_ns(~0ull), 0);
}

TEST(PcapngInterface, BinaryResolutions) {
  EXPECT_EQ(with(0x80).time_ns(3), 3'000'000'000);
  EXPECT_EQ(with(0x81).time_ns(3), 1'500'000'000);
  EXPECT_EQ(with(0x80 | 30).time_ns(1), 0);
  EXPECT_EQ(with(0x80 | 30).time_ns(1 << 29), 500'000'000);
  EXPECT_EQ(with(0x80 | 32).time_ns(0x1'8000'0000), 1'500'000'000);
  EXPECT_EQ(with(0x80 | 63).time_ns(std::uint64_t{3} << 62), 1'500'000'000);
  EXPECT_EQ(with(0xff).time_ns(~0ull), 0);
}

// What 64-bit arithmetic would lose: ticks times 10^9 is beyond 2^64.
TEST(PcapngInterface, LargeTicksAreExact) {
  EXPECT_EQ(with(9).time_ns(1'600'000'000'123'456'789), 1'600'000'000'123'456'789);
  EXPECT_EQ(with(12).time_ns(1'600'000'000'123'456'789), 1'600'000'000'123'456);
}

TEST(PcapngInterface, OffsetIsAddedInSeconds) {
  EXPECT_EQ(with(6, 1'600'000'000).time_ns(5), 1'600'000'000'000'005'000);
  EXPECT_EQ(with(9, -2).time_ns(1), -1'999'999'999);
}

TEST(PcapngInterface, TimesBeyondTheRangeAreHeldAtItsEnds) {
  EXPECT_EQ(with(0).time_ns(~0ull), kMaxTimeNs - 1);
  EXPECT_EQ(with(6).time_ns(~0ull), kMaxTimeNs - 1);
  EXPECT_EQ(with(6, INT64_MAX).time_ns(~0ull), kMaxTimeNs - 1);
  EXPECT_EQ(with(6, INT64_MIN).time_ns(0), -kMaxTimeNs);
  EXPECT_EQ(with(0, INT64_MIN).time_ns(~0ull), kMaxTimeNs - 1);
}

}  // namespace
}  // namespace warpmeter::test
