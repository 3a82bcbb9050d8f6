// Well-formed pcapng files: sections, interfaces, the three kinds of packets (section 3 of the definitions).
#include "packet/file/pcapng_reader.h"

#include <gtest/gtest.h>

#include "support/pcapng_file.h"
#include "support/read_capture.h"

namespace warpmeter::test {
namespace {

constexpr std::uint16_t kEthernet = 1;
constexpr std::uint16_t kRaw = 101;
constexpr auto kBothOrders = {std::endian::little, std::endian::big};

std::vector<ReadFrame> sound_frames(const PcapngFile& file) {
  ReadCapture read = read_bytes(file.data());
  EXPECT_FALSE(read.damage.has_value());
  EXPECT_EQ(read.offset, file.size());
  return std::move(read.frames);
}

std::vector<std::int64_t> times(const std::vector<ReadFrame>& frames) {
  std::vector<std::int64_t> all;
  for (const ReadFrame& frame : frames) all.push_back(frame.time_ns);
  return all;
}

using Times = std::vector<std::int64_t>;

TEST(PcapngReader, EnhancedPacketInBothByteOrders) {
  for (const std::endian order : kBothOrders) {
    PcapngFile file(order);
    file.interface(kRaw).enhanced_claiming(0, 0x0006'0000'0000'0001, 3, 1500, {1, 2, 3});
    const auto frames = sound_frames(file);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].time_ns, 1'688'849'860'263'937'000);
    EXPECT_EQ(frames[0].bytes, (Bytes{1, 2, 3}));
    EXPECT_EQ(frames[0].original, 1500u);
    EXPECT_EQ(frames[0].link, kRaw);
  }
}

TEST(PcapngReader, ObsoletePacketInBothByteOrders) {
  for (const std::endian order : kBothOrders) {
    PcapngFile file(order);
    file.interface(kEthernet).interface(kRaw).obsolete(1, 0x1'0000'0000, {5, 6});
    const auto frames = sound_frames(file);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].time_ns, 4'294'967'296'000);
    EXPECT_EQ(frames[0].bytes, (Bytes{5, 6}));
    EXPECT_EQ(frames[0].link, kRaw);
  }
}

TEST(PcapngReader, SectionsChangeTheByteOrderAndForgetInterfaces) {
  PcapngFile file(std::endian::little);
  file.interface(kEthernet).interface(kRaw).enhanced(1, 1, {1});
  file.section(std::endian::big).interface(kRaw).enhanced(0, 2, {2});
  file.section(std::endian::little).interface(kEthernet).enhanced(0, 3, {3});
  const auto frames = sound_frames(file);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(times(frames), (Times{1000, 2000, 3000}));
  EXPECT_EQ(frames[0].link, kRaw);
  EXPECT_EQ(frames[1].link, kRaw);
  EXPECT_EQ(frames[2].link, kEthernet);
}

TEST(PcapngReader, EachInterfaceHasItsOwnResolutionAndOffset) {
  PcapngFile file;
  file.interface(kEthernet, file.resolution(9)).interface(kEthernet, file.resolution(0x80 | 10));
  file.interface(kEthernet, file.resolution(3) + file.offset(-2)).interface(kEthernet);
  file.enhanced(0, 7, {}).enhanced(1, 512, {}).enhanced(2, 1500, {}).enhanced(3, 9, {});
  EXPECT_EQ(times(sound_frames(file)), (Times{7, 500'000'000, -500'000'000, 9000}));
}

TEST(PcapngReader, InterfacesMayComeBetweenPackets) {
  PcapngFile file;
  file.interface(kEthernet).enhanced(0, 1, {}).interface(kRaw).enhanced(1, 2, {}).enhanced(0, 3, {});
  const auto frames = sound_frames(file);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1].link, kRaw);
  EXPECT_EQ(frames[2].link, kEthernet);
}

TEST(PcapngReader, SimplePacketTakesTheTimeOfThePacketBefore) {
  PcapngFile file;
  file.interface(kEthernet).simple(2, {1, 2}).enhanced(0, 50, {}).simple(2, {3, 4}).enhanced(0, 20, {}).simple(1, {5});
  EXPECT_EQ(times(sound_frames(file)), (Times{0, 50'000, 50'000, 20'000, 20'000}));
}

TEST(PcapngReader, SimplePacketTakesTheTimeAcrossSections) {
  PcapngFile file;
  file.interface(kEthernet).enhanced(0, 50, {}).section(std::endian::big).interface(kEthernet).simple(1, {5});
  EXPECT_EQ(times(sound_frames(file)), (Times{50'000, 50'000}));
}

TEST(PcapngReader, SimplePacketBelongsToTheFirstInterface) {
  PcapngFile file;
  file.interface(kRaw).interface(kEthernet).simple(1, {5});
  EXPECT_EQ(sound_frames(file).at(0).link, kRaw);
}

TEST(PcapngReader, SimplePacketLosesItsPadding) {
  PcapngFile file;
  file.interface(kEthernet).simple(5, {1, 2, 3, 4, 5});
  EXPECT_EQ(sound_frames(file).at(0).bytes, (Bytes{1, 2, 3, 4, 5}));
}

TEST(PcapngReader, SimplePacketIsCutAtTheSnapLength) {
  PcapngFile file;
  file.interface(kEthernet, {}, 6).simple(1500, {1, 2, 3, 4, 5, 6});
  const auto frames = sound_frames(file);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].bytes, (Bytes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(frames[0].original, 1500u);
}

TEST(PcapngReader, OptionsBehindThePacketAreNotPartOfIt) {
  PcapngFile file;
  file.interface(kEthernet).enhanced_claiming(0, 1, 4, 4, {1, 2, 3, 4, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(sound_frames(file).at(0).bytes, (Bytes{1, 2, 3, 4}));
}

TEST(PcapngReader, OtherBlocksArePassedOver) {
  PcapngFile file;
  file.block(0x0bad, Bytes(40)).interface(kEthernet).block(4, Bytes(8)).enhanced(0, 1, {7}).block(5, {});
  EXPECT_EQ(sound_frames(file).size(), 1u);
}

TEST(PcapngReader, FinerTimesAreCutToNanoseconds) {
  PcapngFile file;
  file.interface(kEthernet, file.resolution(12)).enhanced(0, 1999, {}).enhanced(0, 2000, {});
  EXPECT_EQ(times(sound_frames(file)), (Times{1, 2}));
}

TEST(PcapngReader, StopsAtTheLimitAndGoesOn) {
  PcapngFile file;
  file.interface(kEthernet);
  for (std::uint8_t i = 0; i < 10; ++i) file.enhanced(0, i, {i});
  const ReadCapture read = read_bytes(file.data(), 3);
  ASSERT_EQ(read.frames.size(), 10u);
  for (std::uint8_t i = 0; i < 10; ++i) EXPECT_EQ(read.frames[i].bytes, Bytes{i});
}

TEST(PcapngReader, TwoMebibytesAreTheMostThatIsRead) {
  PcapngFile file;
  file.interface(kEthernet).enhanced(0, 1, Bytes(2 << 20)).simple(2 << 20, Bytes(2 << 20));
  EXPECT_EQ(sound_frames(file).size(), 2u);
}

}  // namespace
}  // namespace warpmeter::test
