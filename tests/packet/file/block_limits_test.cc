// What an input may make a block of frames, and a reader, take.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <set>
#include <thread>

#include "packet/file/buffer_pool.h"
#include "packet/file/limits.h"
#include "packet/file/pcapng_reader.h"
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

// Blocks of 60 MiB, with a packet at their beginning or without: what they say counts, and nobody holds them.
class LongBlocks : public testing::Test {
 protected:
  static constexpr std::size_t kLong = 60 << 20;

  static Bytes packet_block_body(const PcapngFile& file) {
    ByteWriter w = file.writer();
    w.u32(0).u32(0).u32(7).u32(3).u32(3).bytes({1, 2, 3}).pad_to_4();
    return w.zeros(kLong).data();  // options
  }
};

TEST_F(LongBlocks, CountLikeOthers) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PcapngFile file(order);
    file.interface(1).block(6, packet_block_body(file)).block(0x0bad, Bytes(kLong)).enhanced(0, 9, {4});
    const ReadCapture read = read_bytes(file.data());
    ASSERT_EQ(read.frames.size(), 2u);
    EXPECT_EQ(read.frames[0].bytes, (Bytes{1, 2, 3}));
    EXPECT_EQ(read.frames[0].time_ns, 7000);
    EXPECT_EQ(read.frames[1].bytes, Bytes{4});
    EXPECT_FALSE(read.damage);
    EXPECT_EQ(read.offset, file.size());
  }
}

TEST_F(LongBlocks, CutShortOrWithAnotherLengthAtTheEndAreDamageAndSayNothing) {
  PcapngFile file;
  const std::size_t good = file.interface(1).enhanced(0, 1, {1}).size();
  Bytes bytes = file.block(6, packet_block_body(file)).data();
  const ReadCapture cut = read_bytes(Bytes(bytes.begin(), bytes.end() - 5));
  bytes.back() ^= 1;
  const ReadCapture other = read_bytes(bytes);
  for (const ReadCapture* read : {&cut, &other}) {
    EXPECT_EQ(read->frames.size(), 1u);
    ASSERT_TRUE(read->damage);
    EXPECT_EQ(read->damage->offset, good);
  }
  EXPECT_EQ(cut.damage->reason, "block length " + std::to_string(kLong + 36));
  EXPECT_EQ(other.damage->reason, "block lengths differ");
}

TEST_F(LongBlocks, TakeNoMemory) {
  PcapngFile file;
  file.interface(1).block(6, packet_block_body(file)).block(0x0bad, Bytes(kLong)).block(6, packet_block_body(file));
  const ScratchFolder folder;
  const std::atomic<bool> stop = false;
  const std::string path = folder.write("capture", file.data());
  for (const bool pipe : {false, true}) {
    std::unique_ptr<ByteSource> source;
    std::jthread writer;
    if (pipe) {
      const std::string fifo = folder.file("pipe");
      ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
      writer = std::jthread([&, fifo] { write_file(fifo, file.data()); });
      source = open_byte_source(fifo, stop);
    } else {
      source = open_byte_source(path, stop);
    }
    PcapngReader reader("capture", std::move(source));
    FrameBlock block;
    while (reader.read(block, 1000)) {
    }
    EXPECT_EQ(block.frames.size(), 2u);
    std::size_t held = 0;
    std::set<const void*> buffers;
    for (const auto& bytes : block.leases) {
      if (buffers.insert(bytes.get()).second) held += static_cast<const Buffer*>(bytes.get())->size();
    }
    EXPECT_LT(held, 40u << 20) << pipe;
  }
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
