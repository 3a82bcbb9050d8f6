// HP-CAP raw files: what is read, what is padding, what is damage, and what is none at all.
#include "packet/file/hpcap_reader.h"

#include <gtest/gtest.h>

#include "packet/file/file_source.h"
#include "support/hpcap_file.h"
#include "support/pcap_file.h"
#include "support/pipe.h"
#include "support/random_bytes.h"
#include "support/read_capture.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kNow = 1'700'000'000;
constexpr std::int64_t kNowNs = 1'700'000'000'000'000'000;

HpcapFile three_packets() {
  HpcapFile file;
  return file.record(kNow, 5, {1, 2, 3}).record(kNow + 1, 999'999'999, {4}, 1400).record(kNow, 7, {5, 6});
}

bool is_recognised(const Bytes& content) {
  return thrown_text([&] { read_bytes(content); }).find("not a pcap, pcapng, HP-CAP") == std::string::npos;
}

ReadCapture read_hpcap(const Bytes& content) { return read_bytes(content, 1000, InputFormat::hpcap); }

TEST(Hpcap, TimesLengthsAndBytes) {
  const ReadCapture read = read_bytes(three_packets().data());
  ASSERT_EQ(read.frames.size(), 3u);
  EXPECT_EQ(read.frames[0].time_ns, kNowNs + 5);
  EXPECT_EQ(read.frames[0].bytes, (Bytes{1, 2, 3}));
  EXPECT_EQ(read.frames[0].original, 3u);
  EXPECT_EQ(read.frames[0].link, 1);
  EXPECT_EQ(read.frames[1].time_ns, kNowNs + 1'999'999'999);
  EXPECT_EQ(read.frames[1].original, 1401u);
  EXPECT_EQ(read.frames[2].time_ns, kNowNs + 7);
  EXPECT_FALSE(read.damage.has_value());
  EXPECT_EQ(read.offset, three_packets().data().size());
}

// Too little to be believed: seconds since the machine was switched on, say.
TEST(Hpcap, ClockThatIsNotSetIsSuggested) {
  HpcapFile file;
  for (std::uint32_t i = 0; i < 9; ++i) file.record(77 + i, 5, counting_bytes(60));
  const std::string text = thrown_text([&] { read_bytes(file.data()); });
  EXPECT_TRUE(text.ends_with(": not a pcap, pcapng, HP-CAP or ERF file (it may be of HP-CAP: --input-format hpcap)"))
      << text;
  EXPECT_EQ(read_hpcap(file.data()).frames.size(), 9u);
}

TEST(Hpcap, NothingIsSuggestedForWhatIsNone) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::string text = thrown_text([&] { read_bytes(random_bytes(3000, seed)); });
    EXPECT_EQ(text.find("--input-format"), std::string::npos) << text;
  }
  EXPECT_EQ(thrown_text([&] { read_bytes(Bytes(3000, ' ')); }).find("--input-format"), std::string::npos);
  EXPECT_EQ(thrown_text([&] { read_bytes(Bytes(3000)); }).find("--input-format"), std::string::npos);
}

TEST(Hpcap, PaddingIsPassedOverWhereverItIs) {
  HpcapFile file;
  file.padding(700).padding(0).record(kNow, 1, {1}).padding(0).padding(13).record(kNow, 2, {2}).padding(65535);
  const ReadCapture read = read_bytes(file.data(), 1);
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.frames[1].bytes, Bytes{2});
  EXPECT_FALSE(read.damage.has_value());
}

TEST(Hpcap, LessThanAHeaderIsTheEnd) {
  for (std::size_t rest = 0; rest < 12; ++rest) {
    const ReadCapture read = read_bytes(three_packets().raw(Bytes(rest, 0x55)).data());
    EXPECT_EQ(read.frames.size(), 3u);
    EXPECT_FALSE(read.damage.has_value()) << rest;
  }
}

TEST(Hpcap, WhatGoesBeyondTheFileIsDamageWithItsPlace) {
  for (const bool padding : {false, true}) {
    HpcapFile file = three_packets();
    const std::size_t place = file.data().size();
    padding ? file.header(0, 0, 40, 40) : file.header(kNow, 0, 40, 40);
    const ReadCapture read = read_hpcap(file.raw(Bytes(39)).data());
    EXPECT_EQ(read.frames.size(), 3u);
    ASSERT_TRUE(read.damage.has_value());
    EXPECT_EQ(read.damage->offset, place);
    EXPECT_EQ(read.damage->reason, "record cut short");
  }
}

TEST(Hpcap, ASecondOfNanosecondsIsDamage) {
  HpcapFile file = three_packets();
  const std::size_t place = file.data().size();
  const ReadCapture read = read_hpcap(file.header(kNow, 1'000'000'000, 1, 1).raw({1}).data());
  EXPECT_EQ(read.frames.size(), 3u);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, place);
  EXPECT_EQ(read.damage->reason, "nanoseconds 1000000000");
}

TEST(Hpcap, ALengthShorterThanWhatWasCapturedStands) {
  const ReadCapture read = read_hpcap(HpcapFile().header(kNow, 0, 3, 2).raw({1, 2, 3}).data());
  ASSERT_EQ(read.frames.size(), 1u);
  EXPECT_EQ(read.frames[0].original, 2u);
  EXPECT_EQ(read.frames[0].bytes.size(), 3u);
}

TEST(Hpcap, FromAPipeInPieces) {
  HpcapFile file = three_packets();
  for (std::uint32_t i = 0; i < 200; ++i) file.record(kNow, i, Bytes(1500, static_cast<std::uint8_t>(i)));
  FedPipe pipe(file.data(), 701);
  const std::atomic<bool> stop = false;
  auto source = std::make_unique<PipeSource>(pipe.read_end(), "pipe", stop);
  EXPECT_TRUE(HpcapReader::recognises(*source));
  HpcapReader reader("pipe", std::move(source));
  FrameBlock block;
  EXPECT_FALSE(reader.read(block, 1000));
  ASSERT_EQ(block.frames.size(), 203u);
  EXPECT_EQ(copy_frames(block)[202].bytes, Bytes(1500, 199));
}

TEST(HpcapRecognised, ByPacketsInARowOrByOneThatIsTheWholeFile) {
  EXPECT_TRUE(is_recognised(HpcapFile().record(kNow, 1, {1}).data()));
  HpcapFile file = three_packets();
  EXPECT_TRUE(is_recognised(file.record(kNow, 8, {1}).raw(Bytes(100, 0xff)).data()));
  EXPECT_FALSE(is_recognised(three_packets().raw(Bytes(100, 0xff)).data()));
}

TEST(HpcapRecognised, NotInWhatIsNone) {
  for (unsigned seed = 0; seed < 250; ++seed) {
    EXPECT_FALSE(is_recognised(random_bytes(16 + seed % 600, seed))) << seed;
  }
  for (int byte = 0; byte < 256; byte += 5) {
    EXPECT_FALSE(is_recognised(Bytes(100'000, static_cast<std::uint8_t>(byte)))) << byte;
  }
  EXPECT_FALSE(is_recognised(HpcapFile().padding(100).padding(0).data()));
  EXPECT_FALSE(is_recognised(HpcapFile().record(kNow, 1, {1}).record(kNow + 90'000, 1, {1}).data()));
}

TEST(HpcapWanted, MustFit) {
  const auto error_of = [](const Bytes& content) { return thrown_text([&] { read_hpcap(content); }); };
  for (const Bytes& content : {PcapFile().record(kNow, 0, {1}).data(), Bytes(1000, 'x'), Bytes(11)}) {
    EXPECT_NE(error_of(content).find("not an HP-CAP file"), std::string::npos);
  }
  EXPECT_EQ(error_of(HpcapFile().padding(5).data()), "");
  EXPECT_NE(thrown_text([] { read_bytes(three_packets().data(), 10, InputFormat::pcap); }).find("not a pcap file"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter::test
