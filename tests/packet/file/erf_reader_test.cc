// ERF files: what is read of each type, what is damage, and what is none at all.
#include "packet/file/erf_reader.h"

#include <gtest/gtest.h>

#include "packet/file/file_source.h"
#include "support/erf_file.h"
#include "support/hpcap_file.h"
#include "support/pipe.h"
#include "support/random_bytes.h"
#include "support/read_capture.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::uint8_t kPad = 48;
constexpr std::int64_t kNowNs = 1'700'000'000'000'000'000;

ErfFile three_packets() {
  ErfFile file;
  return file.record({}, {1, 2, 3}).record({.fraction = 1u << 31}, {4}).record({.wire = 1500}, {5, 6});
}

bool is_recognised(const Bytes& content) {
  return thrown_text([&] { read_bytes(content); }).find("not a pcap, pcapng, HP-CAP") == std::string::npos;
}

ReadCapture read_erf(const Bytes& content) { return read_bytes(content, 1000, InputFormat::erf); }

TEST(Erf, TimesLengthsAndBytes) {
  const ReadCapture read = read_bytes(three_packets().data());
  ASSERT_EQ(read.frames.size(), 3u);
  EXPECT_EQ(read.frames[0].time_ns, kNowNs);
  EXPECT_EQ(read.frames[0].bytes, (Bytes{1, 2, 3}));
  EXPECT_EQ(read.frames[0].link, 1);
  EXPECT_EQ(read.frames[1].time_ns, kNowNs + 500'000'000);
  EXPECT_EQ(read.frames[2].original, 1500u);
  EXPECT_EQ(read.frames[2].bytes, (Bytes{5, 6}));
  EXPECT_FALSE(read.damage.has_value());
}

// 2^32 / 10^9 is 4.29 units a ns: 2 are less than half of it, 3 are more.
TEST(Erf, TimesAreRoundedToTheNearestNanosecond) {
  ErfFile file;
  for (const std::uint32_t fraction : {0xffffffffu, 4u, 3u, 2u, 0x80000002u, 0x80000003u}) {
    file.record({.fraction = fraction}, {1});
  }
  const ReadCapture read = read_erf(file.data());
  const std::int64_t expected[] = {1'000'000'000, 1, 1, 0, 500'000'000, 500'000'001};
  ASSERT_EQ(read.frames.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(read.frames[i].time_ns, kNowNs + expected[i]) << i;
}

TEST(Erf, TypesAndTheirLinks) {
  const std::pair<int, int> types[] = {{2, 1},   {11, 1},  {16, 1},   {20, 1},   {1, 50},           {10, 50},
                                       {15, 50}, {19, 50}, {22, 228}, {23, 229}, {3, kUnknownLink}, {27, kUnknownLink}};
  for (const auto& [type, link] : types) {
    const ReadCapture read = read_erf(ErfFile().record({.type = static_cast<std::uint8_t>(type)}, {7, 8}).data());
    ASSERT_EQ(read.frames.size(), 1u);
    EXPECT_EQ(read.frames[0].link, link);
    EXPECT_EQ(read.frames[0].bytes, (Bytes{7, 8}));
  }
}

TEST(Erf, PaddingIsPassedOverAndBytesAfterThePacketAreNone) {
  const ReadCapture read =
      read_bytes(ErfFile().record({.type = kPad}, Bytes(100)).record({.wire = 3, .alignment = 5}, {1, 2, 3}).data(), 1);
  ASSERT_EQ(read.frames.size(), 1u);
  EXPECT_EQ(read.frames[0].bytes, (Bytes{1, 2, 3}));
}

TEST(Erf, ExtensionHeadersArePassedOver) {
  for (const int count : {1, 2, 5}) {
    const ReadCapture read = read_bytes(ErfFile().record({.extensions = count}, {1, 2}).record({}, {3}).data());
    ASSERT_EQ(read.frames.size(), 2u);
    EXPECT_EQ(read.frames[0].bytes, (Bytes{1, 2}));
  }
}

void expect_damage(const Bytes& bad, const std::string& reason) {
  ErfFile file = three_packets();
  const std::size_t place = file.data().size();
  const ReadCapture read = read_erf(file.raw(bad).data());
  EXPECT_EQ(read.frames.size(), 3u);
  ASSERT_TRUE(read.damage.has_value()) << reason;
  EXPECT_EQ(read.damage->offset, place);
  EXPECT_EQ(read.damage->reason, reason);
}

TEST(Erf, DamageHasItsPlaceAndReason) {
  expect_damage(ErfFile().header({}, 15, 1).raw(Bytes(50)).data(), "record length 15");
  expect_damage(ErfFile().header({}, 17, 1).raw(Bytes(50)).data(), "record shorter than its headers");
  expect_damage(ErfFile().header({.type = 22, .extensions = 1}, 23, 1).raw(Bytes(50)).data(),
                "record shorter than its headers");
  expect_damage(ErfFile().header({.type = 22, .extensions = 1}, 31, 1).raw(Bytes(50, 0x80)).data(),
                "record shorter than its headers");
  expect_damage(ErfFile().header({}, 100, 1).raw(Bytes(83)).data(), "record cut short");
  expect_damage(Bytes(15), "record header cut short");
}

TEST(Erf, FromAPipeInPieces) {
  ErfFile file = three_packets();
  for (int i = 0; i < 200; ++i) file.record({.extensions = i % 3}, Bytes(1500, static_cast<std::uint8_t>(i)));
  FedPipe pipe(file.data(), 701);
  const std::atomic<bool> stop = false;
  auto source = std::make_unique<PipeSource>(pipe.read_end(), "pipe", stop);
  EXPECT_TRUE(ErfReader::recognises(*source));
  ErfReader reader("pipe", std::move(source));
  FrameBlock block;
  EXPECT_FALSE(reader.read(block, 1000));
  ASSERT_EQ(block.frames.size(), 203u);
  EXPECT_EQ(copy_frames(block)[202].bytes, Bytes(1500, 199));
}

TEST(ErfRecognised, NotInWhatIsNone) {
  EXPECT_TRUE(is_recognised(ErfFile().record({}, {1}).data()));
  for (unsigned seed = 0; seed < 250; ++seed) {
    Bytes bytes = random_bytes(20 + seed % 600, seed);
    bytes[8] = 2;  // the type at least is right
    EXPECT_FALSE(is_recognised(bytes)) << seed;
  }
  EXPECT_FALSE(is_recognised(ErfFile().record({.type = kPad}, Bytes(100)).data()));
  EXPECT_FALSE(is_recognised(ErfFile().record({}, {1}).record({.seconds = 1'600'000'000}, {1}).data()));
}

TEST(ErfWanted, MustFit) {
  const auto error_of = [](const Bytes& content) { return thrown_text([&] { read_erf(content); }); };
  EXPECT_NE(error_of(HpcapFile().record(1'700'000'000, 0, {1}).data()).find("not an ERF file"), std::string::npos);
  EXPECT_NE(error_of(Bytes(15)).find("not an ERF file"), std::string::npos);
  EXPECT_NE(error_of(Bytes(100)).find("not an ERF file"), std::string::npos);
}

}  // namespace
}  // namespace warpmeter::test
