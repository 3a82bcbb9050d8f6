// Every kind of bad block (section 10.28 of the definitions): what was read counts, offset and reason are told.
#include <gtest/gtest.h>

#include "packet/file/limits.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kTwoMiB = 2 << 20;
constexpr auto kBothOrders = {std::endian::little, std::endian::big};

// A section (28 bytes), an interface (20) and a packet of four bytes (36): the next block begins at 84.
constexpr std::uint64_t kNext = 84;

PcapngFile sound(std::endian order = std::endian::little) {
  return PcapngFile(order).interface(1).enhanced(0, 1, {1, 2, 3, 4});
}

// Damage in the block at `kNext`, though a sound packet follows.
void expect_damage(PcapngFile file, const std::string& reason) {
  file.enhanced(0, 2, {9});
  const ReadCapture read = read_bytes(file.data());
  EXPECT_EQ(read.frames.size(), 1u);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, kNext);
  EXPECT_EQ(read.damage->reason, reason);
}

// A block with lengths as given.
Bytes block(const PcapngFile& file, std::uint32_t length, std::size_t body, std::uint32_t trailing) {
  return file.writer().u32(0x99).u32(length).zeros(body).u32(trailing).data();
}

TEST(PcapngDamage, TheSoundPartIsSound) {
  ASSERT_EQ(sound().size(), kNext);
  EXPECT_FALSE(read_bytes(sound().data()).damage.has_value());
}

TEST(PcapngDamage, LengthBelowTwelve) {
  for (const std::endian order : kBothOrders) {
    expect_damage(sound(order).raw(block(sound(order), 8, 0, 8)), "block length 8");
    expect_damage(sound(order).raw(block(sound(order), 0, 0, 0)), "block length 0");
  }
}

TEST(PcapngDamage, LengthNotAMultipleOfFour) {
  expect_damage(sound().raw(block(sound(), 14, 2, 14)), "block length 14");
}

TEST(PcapngDamage, LengthBeyondTheFile) {
  expect_damage(sound().raw(block(sound(), 0xfffffffc, 0, 0xfffffffc)), "block length 4294967292");
}

TEST(PcapngDamage, LengthUnlikeItsTrailingCopy) {
  for (const std::endian order : kBothOrders) {
    expect_damage(sound(order).raw(block(sound(order), 16, 4, 12)), "block lengths differ");
  }
}

TEST(PcapngDamage, UnknownInterface) {
  expect_damage(sound().enhanced(1, 2, {1}), "unknown interface 1");
  expect_damage(sound().enhanced(0xffffffff, 2, {1}), "unknown interface 4294967295");
  expect_damage(sound().obsolete(7, 2, {1}), "unknown interface 7");
}

TEST(PcapngDamage, SimplePacketWithoutInterface) {
  PcapngFile file;
  file.simple(1, {1});
  const ReadCapture read = read_bytes(file.data());
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, 28u);
  EXPECT_EQ(read.damage->reason, "simple packet without interface");
}

TEST(PcapngDamage, InterfacesOfTheSectionBeforeAreUnknown) {
  PcapngFile file = sound();
  file.section(std::endian::little).enhanced(0, 2, {1});
  const ReadCapture read = read_bytes(file.data());
  EXPECT_EQ(read.frames.size(), 1u);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, kNext + 28);
  EXPECT_EQ(read.damage->reason, "unknown interface 0");
}

TEST(PcapngDamage, PacketLongerThanItsBlock) {
  expect_damage(sound().enhanced_claiming(0, 2, 5, 5, {1, 2, 3, 4}), "captured length 5");
  expect_damage(sound().enhanced_claiming(0, 2, 0xffffffff, 60, {1, 2, 3, 4}), "captured length 4294967295");
}

TEST(PcapngDamage, ObsoletePacketLongerThanItsBlock) {
  const Bytes body = sound().writer().u16(0).u16(0).u64(0).u32(5).u32(5).u32(0).data();
  expect_damage(sound().block(2, body), "captured length 5");
}

TEST(PcapngDamage, PacketOverTwoMebibytes) {
  expect_damage(sound().enhanced(0, 2, Bytes(kTwoMiB + 1)), "captured length 2097153");
  expect_damage(sound().simple(kTwoMiB + 1, Bytes(kTwoMiB + 1)), "captured length 2097153");
}

TEST(PcapngDamage, BlocksTooShortForTheirFields) {
  expect_damage(sound().block(6, Bytes(16)), "short packet block");
  expect_damage(sound().block(2, Bytes(16)), "short packet block");
  expect_damage(sound().block(3, {}), "short packet block");
  expect_damage(sound().block(1, Bytes(4)), "short interface block");
}

TEST(PcapngDamage, BadByteOrderMagicOfALaterSection) {
  expect_damage(sound().block(0x0a0d0d0a, Bytes(16)), "bad byte-order magic");
}

TEST(PcapngDamage, EveryCutOfTheLastBlock) {
  const Bytes whole = sound().enhanced(0, 2, {5, 6, 7, 8}).data();
  for (std::size_t size = kNext + 1; size < whole.size(); ++size) {
    const ReadCapture read = read_bytes(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(read.frames.size(), 1u) << size;
    ASSERT_TRUE(read.damage.has_value()) << size;
    EXPECT_EQ(read.damage->offset, kNext) << size;
    EXPECT_EQ(read.damage->reason, size < kNext + 12 ? "block header cut short" : "block length 36") << size;
  }
}

TEST(PcapngDamage, BlockOfMoreThanItsLimit) {
  const std::uint32_t length = kMaxBlock + 4;
  expect_damage(sound().raw(block(sound(), length, 0, length)), "block length " + std::to_string(length));
}

TEST(PcapngDamage, MoreInterfacesThanTheirLimit) {
  PcapngFile file = sound();
  for (std::size_t i = 1; i < kMaxInterfaces; ++i) file.interface(1);
  file.enhanced(kMaxInterfaces - 1, 2, {5});
  const std::uint64_t next = file.size();
  const ReadCapture read = read_bytes(file.interface(1).data());
  EXPECT_EQ(read.frames.size(), 2u);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, next);
  EXPECT_EQ(read.damage->reason, "more than 65536 interfaces");
}

}  // namespace
}  // namespace warpmeter::test
