// Well-formed pcap files in all their dialects (sections 3 and 10.27 of the definitions).
#include "packet/file/pcap_reader.h"

#include <gtest/gtest.h>

#include "support/pcap_file.h"
#include "support/read_capture.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

const Bytes kThree = {1, 2, 3};

ReadFrame only_frame(const PcapFile& file) {
  const ReadCapture read = read_bytes(file.data());
  EXPECT_FALSE(read.damage.has_value());
  EXPECT_EQ(read.frames.size(), 1u);
  return read.frames.empty() ? ReadFrame{} : read.frames[0];
}

TEST(PcapReader, BothByteOrders) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PcapFile file({.order = order});
    file.header(0x01020304, 5, 3, 0x00010203).raw(kThree);
    const ReadFrame frame = only_frame(file);
    EXPECT_EQ(frame.time_ns, 16'909'060'000'005'000);
    EXPECT_EQ(frame.bytes, kThree);
    EXPECT_EQ(frame.original, 0x00010203u);
    EXPECT_EQ(frame.link, 1);
  }
}

TEST(PcapReader, NanosecondsInBothByteOrders) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const PcapFile file = PcapFile({.order = order, .magic = kPcapNanoseconds}).record(2, 999'999'999, kThree);
    EXPECT_EQ(only_frame(file).time_ns, 2'999'999'999);
  }
}

TEST(PcapReader, ModifiedRecordHeadersAreEightBytesLonger) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PcapFile file({.order = order, .magic = kPcapModified});
    file.record(2, 7, kThree).record(3, 8, {9});
    const ReadCapture read = read_bytes(file.data());
    ASSERT_EQ(read.frames.size(), 2u);
    EXPECT_EQ(read.frames[0].time_ns, 2'000'007'000);
    EXPECT_EQ(read.frames[0].bytes, kThree);
    EXPECT_EQ(read.frames[1].bytes, Bytes{9});
  }
}

TEST(PcapReader, LastSecondOfTheFormatIsAfter1970) {
  EXPECT_EQ(only_frame(PcapFile().record(0xffffffff, 0, kThree)).time_ns, 4'294'967'295'000'000'000);
}

TEST(PcapReader, FractionOverOneSecondIsAdded) {
  EXPECT_EQ(only_frame(PcapFile().record(1, 2'500'000, kThree)).time_ns, 3'500'000'000);
}

TEST(PcapReader, LengthsAreSwappedBeforeVersion23) {
  for (const std::uint16_t minor : {std::uint16_t{1}, std::uint16_t{2}}) {
    const ReadFrame frame = only_frame(PcapFile({.minor = minor}).header(1, 0, 900, 3).raw(kThree));
    EXPECT_EQ(frame.bytes, kThree);
    EXPECT_EQ(frame.original, 900u);
  }
  EXPECT_EQ(only_frame(PcapFile({.major = 1, .minor = 9}).header(1, 0, 900, 3).raw(kThree)).original, 900u);
}

TEST(PcapReader, Version22SwapsWhateverTheLengthsSay) {
  const ReadFrame frame = only_frame(PcapFile({.minor = 2}).header(1, 0, 2, 3).raw(kThree));
  EXPECT_EQ(frame.bytes, kThree);
  EXPECT_EQ(frame.original, 2u);
}

TEST(PcapReader, Version23SwapsOnlyWhereCapturedIsTheLarger) {
  PcapFile file({.minor = 3});
  file.header(1, 0, 900, 3).raw(kThree).header(1, 0, 3, 900).raw(kThree);
  const ReadCapture read = read_bytes(file.data());
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.frames[0].bytes, kThree);
  EXPECT_EQ(read.frames[0].original, 900u);
  EXPECT_EQ(read.frames[1].original, 900u);
}

TEST(PcapReader, Version24NeverSwaps) {
  const ReadFrame frame = only_frame(PcapFile().header(1, 0, 3, 2).raw(kThree));
  EXPECT_EQ(frame.bytes, kThree);
  EXPECT_EQ(frame.original, 2u);
}

// AIX: interface types of its kernel, and ns under any magic number.
TEST(PcapReader, Version22OfAixIsNotSwappedAndTellsNanoseconds) {
  const std::pair<std::uint32_t, std::uint16_t> links[] = {{6, 1}, {9, 6}, {15, 10}, {24, 0}};
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const auto& [of_aix, link] : links) {
      const PcapDialect dialect{.order = order, .minor = 2, .link = of_aix};
      const ReadFrame frame = only_frame(PcapFile(dialect).header(1, 999'999'999, 3, 900).raw(kThree));
      EXPECT_EQ(frame.link, link);
      EXPECT_EQ(frame.time_ns, 1'999'999'999);
      EXPECT_EQ(frame.bytes, kThree);
      EXPECT_EQ(frame.original, 900u);
    }
  }
}

TEST(PcapReader, OtherVersionsHaveTheUsualLinkTypes) {
  EXPECT_EQ(only_frame(PcapFile({.minor = 4, .link = 6}).record(1, 0, kThree)).link, 6);
  EXPECT_EQ(only_frame(PcapFile({.minor = 1, .link = 9}).header(1, 0, 900, 3).raw(kThree)).link, 9);
  EXPECT_EQ(only_frame(PcapFile({.minor = 2, .link = 1}).header(1, 0, 900, 3).raw(kThree)).original, 900u);
}

TEST(PcapReader, FractionsHaveASignAndAreTakenAsTheyAre) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const auto& [magic, unit] :
         {std::pair{kPcapMicroseconds, 1000}, {kPcapNanoseconds, 1}, {kPcapModified, 1000}}) {
      PcapFile file({.order = order, .magic = magic});
      file.record(9, 5, kThree).record(10, 0xffff3cb0, kThree).record(10, 0x7fffffff, kThree);
      file.record(10, 0x80000000, kThree);
      const ReadCapture read = read_bytes(file.data());
      ASSERT_EQ(read.frames.size(), 4u);
      EXPECT_EQ(read.frames[1].time_ns, 10'000'000'000 - std::int64_t{50'000} * unit);
      EXPECT_EQ(read.frames[2].time_ns, 10'000'000'000 + std::int64_t{2'147'483'647} * unit);
      EXPECT_EQ(read.frames[3].time_ns, 10'000'000'000 - std::int64_t{2'147'483'648} * unit);
      EXPECT_EQ(read.odd_fraction, 24 + (magic == kPcapModified ? 24 : 16) + 3u);
    }
  }
}

TEST(PcapReader, FractionsOfASecondAndMoreAreNoted) {
  const auto odd_fraction_of = [](std::uint32_t magic, std::uint32_t fraction) {
    return read_bytes(PcapFile({.magic = magic}).record(9, fraction, kThree).data()).odd_fraction;
  };
  EXPECT_EQ(odd_fraction_of(kPcapMicroseconds, 999'999), std::nullopt);
  EXPECT_EQ(odd_fraction_of(kPcapMicroseconds, 1'000'000), 24u);
  EXPECT_EQ(odd_fraction_of(kPcapNanoseconds, 999'999'999), std::nullopt);
  EXPECT_EQ(odd_fraction_of(kPcapNanoseconds, 1'000'000'000), 24u);
}

TEST(PcapReader, VersionIsReadInTheOrderOfTheFile) {
  const PcapFile file = PcapFile({.order = std::endian::big, .minor = 2}).header(1, 0, 900, 3).raw(kThree);
  EXPECT_EQ(only_frame(file).bytes, kThree);
}

TEST(PcapReader, UpperHalfOfTheLinkTypeIsNotPartOfIt) {
  EXPECT_EQ(only_frame(PcapFile({.link = 0x24000001}).record(1, 0, kThree)).link, 1);
}

TEST(PcapReader, FileWithoutRecordsIsEmptyAndSound) {
  const ReadCapture read = read_bytes(PcapFile().data());
  EXPECT_TRUE(read.frames.empty());
  EXPECT_FALSE(read.damage.has_value());
  EXPECT_EQ(read.offset, 24u);
}

TEST(PcapReader, EmptyRecordIsAFrame) { EXPECT_TRUE(only_frame(PcapFile().header(1, 0, 0, 60)).bytes.empty()); }

TEST(PcapReader, StopsAtTheLimitAndGoesOn) {
  PcapFile file;
  for (std::uint8_t i = 0; i < 10; ++i) file.record(i, 0, {i});
  const ScratchFolder folder;
  const std::atomic<bool> stop = false;
  const auto reader = open_capture(folder.write("ten", file.data()), stop);
  FrameBlock block;
  EXPECT_TRUE(reader->read(block, 4));
  EXPECT_EQ(block.frames.size(), 4u);
  EXPECT_TRUE(reader->read(block, 5));
  EXPECT_EQ(block.frames.size(), 5u);
  EXPECT_EQ(reader->offset(), 24 + 5 * 17u);
  EXPECT_FALSE(reader->read(block, 100));
  EXPECT_EQ(block.frames.size(), 10u);
  EXPECT_EQ(block.frames[9].data[0], 9);
  EXPECT_EQ(reader->size(), file.size());
}

TEST(PcapReader, UnknownLinkTypeIsAnErrorWithItsNumber) {
  try {
    read_bytes(PcapFile({.link = 147}).record(1, 0, kThree).data());
    FAIL() << "link type 147 was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("link type 147"), std::string::npos) << error.what();
    EXPECT_EQ(error.status(), ExitStatus::failed);
  }
}

}  // namespace
}  // namespace warpmeter::test
