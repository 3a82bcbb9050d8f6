// What an input may make a block of frames, and a reader, take.
#include <gtest/gtest.h>

#include <atomic>

#include "capture/limits.h"
#include "capture/pcapng_interface.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kLarge = 1 << 20;
constexpr std::size_t kMany = kMostBlockBytes / kLarge + 4;

// How many frames each block holds if as many are asked for as there are.
std::vector<std::size_t> block_sizes(const Bytes& file) {
  const ScratchFolder folder;
  const std::atomic<bool> stop = false;
  const auto reader = open_capture(folder.write("capture", file), stop);
  std::vector<std::size_t> sizes;
  for (bool more = true; more;) {
    FrameBlock block;
    more = reader->read(block, 1000);
    sizes.push_back(block.frames.size());
  }
  EXPECT_FALSE(reader->damage());
  return sizes;
}

TEST(BlockLimits, LargePacketsMakeABlockOfFewFrames) {
  PcapFile file;
  for (std::size_t i = 0; i < kMany; ++i) file.record(1, 0, Bytes(kLarge));
  EXPECT_EQ(block_sizes(file.data()), (std::vector<std::size_t>{16, 4}));
}

TEST(BlockLimits, BlocksWithoutPacketsEndABlockOfFramesToo) {
  PcapngFile file;
  file.interface(1);
  for (std::size_t i = 0; i < kMany; ++i) file.block(0x0bad, Bytes(kLarge));
  file.enhanced(0, 1, {1});
  EXPECT_EQ(block_sizes(file.data()), (std::vector<std::size_t>{0, 1}));
}

TEST(BlockLimits, MoreInterfacesThanAnybodyHasAreDamage) {
  PcapngFile most;
  for (std::size_t i = 0; i < kMaxInterfaces; ++i) most.interface(1);
  most.enhanced(kMaxInterfaces - 1, 1, {1});
  const std::size_t good = most.size();
  const ReadCapture read = read_bytes(most.interface(1).enhanced(0, 2, {2}).data());
  EXPECT_EQ(read.frames.size(), 1u);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->reason, "more than 65536 interfaces");
  EXPECT_EQ(read.damage->offset, good);
}

// Else a few bytes of a compressed file would take gigabytes.
TEST(BlockLimits, ABlockLongerThanAnybodyNeedsIsDamage) {
  PcapngFile file;
  const std::size_t good = file.interface(1).size();
  const ReadCapture read = read_bytes(file.block(0x0bad, Bytes(kMaxBlock)).enhanced(0, 1, {1}).data());
  EXPECT_TRUE(read.frames.empty());
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->reason, "block length 67108876");
  EXPECT_EQ(read.damage->offset, good);
}

TEST(BlockLimits, NamesAreKeptAsFarAsSomebodyMightReadThem) {
  const Bytes name = ByteWriter(std::endian::little).zeros(8).u16(2).u16(4000).bytes(Bytes(4000, 'x')).data();
  EXPECT_EQ(PcapngInterface::parse(name.data(), name.size(), false).name, std::string(512, 'x'));
}

TEST(BlockLimits, OfManyUnknownLinkTypesAFewAreNamed) {
  PcapngFile file;
  for (std::uint16_t link = 0; link < 1000; ++link) file.interface(40'000 + link);
  const std::string text = thrown_text([&] { read_bytes(file.data()); });
  EXPECT_TRUE(text.ends_with("only 40000, 40001, 40002, 40003, 40004, 40005, 40006, 40007 and others")) << text;
}

}  // namespace
}  // namespace warpmeter::test
