// Reading that goes on behind damage: at which place, what is counted as skipped, and that it is the same however a
// file is read.
#include <gtest/gtest.h>

#include <chrono>

#include "support/chunks.h"
#include "support/erf_file.h"
#include "support/fewer.h"
#include "support/hpcap_file.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/random_bytes.h"
#include "support/read_capture.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSeconds = 1'700'000'000;
constexpr std::uint32_t kDay = 86'400;
const CaptureOptions kResync{.resync = true};

std::uint64_t bytes_of(const ReadCapture& read) {
  std::uint64_t bytes = 0;
  for (const ReadFrame& frame : read.frames) bytes += frame.bytes.size();
  return bytes;
}

// The same as a file, in small blocks, through a pipe, and in chunks.
ReadCapture read_on(const Bytes& file, InputFormat format = InputFormat::automatic) {
  const CaptureOptions options{.format = format, .resync = true};
  const ScratchFolder folder;
  const std::string path = folder.write("capture", file);
  const ReadCapture read = read_file(path, 1000, options);
  const auto expect_same = [&read](const ReadCapture& other) {
    EXPECT_EQ(other.frames.size(), read.frames.size());
    EXPECT_EQ(bytes_of(other), bytes_of(read));
    EXPECT_EQ(other.skips, read.skips);
    ASSERT_EQ(other.skipped.size(), read.skipped.size());
    for (std::size_t i = 0; i < read.skipped.size(); ++i) {
      EXPECT_EQ(other.skipped[i].offset, read.skipped[i].offset);
      EXPECT_EQ(other.skipped[i].reason, read.skipped[i].reason);
      EXPECT_EQ(other.skipped[i].skipped, read.skipped[i].skipped);
    }
  };
  expect_same(read_file(path, 1, options));
  expect_same(read_piped(file, options, 50));
  const TraceContent in_order = read_in_order({path}, options);
  const std::atomic<bool> stop = false;
  for (const std::uint64_t bytes : {20u, 300u, 1u << 20}) {
    Trace trace({path}, stop, {.capture = options});
    Committer committer(trace);
    EXPECT_TRUE(read_ahead(trace, {.bytes = bytes, .piece = 100}, 4, committer) == in_order) << bytes;
    EXPECT_EQ(committer.mistakes, 0);
  }
  return read;
}

void expect_skipped(const ReadCapture& read, std::size_t frames, std::uint64_t offset, std::uint64_t bytes,
                    const std::string& reason) {
  EXPECT_EQ(read.frames.size(), frames);
  EXPECT_FALSE(read.damage.has_value());
  ASSERT_EQ(read.skipped.size(), 1u);
  EXPECT_EQ(read.skipped[0].offset, offset);
  EXPECT_EQ(read.skipped[0].skipped, bytes);
  EXPECT_EQ(read.skipped[0].reason, reason);
  EXPECT_EQ(read.skips, (Skips{.places = 1, .bytes = bytes}));
}

// Records of 60 bytes, one a second.
PcapFile packets(std::uint32_t count, const PcapDialect& dialect = {}, std::uint32_t seconds = kSeconds) {
  PcapFile file(dialect);
  for (std::uint32_t i = 0; i < count; ++i) file.record(seconds + i, 7, counting_bytes(60));
  return file;
}

Bytes records(const PcapFile& file) { return {file.data().begin() + 24, file.data().end()}; }

TEST(Resync, OneBadRecordOfAHundred) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const std::uint32_t magic : {kPcapMicroseconds, kPcapNanoseconds, kPcapModified}) {
      const PcapDialect dialect{.order = order, .magic = magic};
      PcapFile file = packets(50, dialect);
      const std::uint64_t damage = file.size();
      file.header(kSeconds + 50, 7, 0x7ffffff0, 60).raw(counting_bytes(60));
      const std::uint64_t bytes = file.size() - damage;
      file.raw(records(packets(49, dialect, kSeconds + 51)));
      expect_skipped(read_on(file.data()), 99, damage, bytes, "captured length 2147483632");
      EXPECT_EQ(read_bytes(file.data()).frames.size(), 50u);
    }
  }
}

TEST(Resync, LostBytesAndStrangeOnes) {
  PcapFile cut = packets(3);
  const std::uint64_t damage = cut.size();
  cut.record(kSeconds, 1, counting_bytes(60));
  Bytes file = cut.data();
  file.resize(file.size() - 37);  // of the fourth packet: its record swallows a part of the next
  file = file + records(packets(5));
  const ReadCapture read = read_on(file);
  EXPECT_EQ(read.frames.size(), 8u);  // the fifth is what the fourth took from
  EXPECT_EQ(read.skips.bytes, 76u - 37u);
  EXPECT_EQ(read.skipped.front().offset, damage + 76);
  const Bytes strange = random_bytes(1000, 3);
  EXPECT_EQ(read_on(packets(3).raw(strange).raw(records(packets(4))).data()).frames.size(), 7u);
}

TEST(Resync, NothingMakesSenseBehindIt) {
  const Bytes rest = Bytes(500, 0xff);
  expect_skipped(read_on(packets(3).raw(rest).data()), 3, packets(3).size(), 500, "captured length 4294967295");
  expect_skipped(read_on(packets(3).raw(Bytes(700)).data()), 3, packets(3).size(), 700, "zeros up to the end");
  expect_skipped(read_on(packets(3).raw(Bytes(9, 1)).data()), 3, packets(3).size(), 9, "record header cut short");
}

TEST(Resync, OneRecordIsEnoughWhereTheFileEndsWithIt) {
  const Bytes bad = Bytes(20, 0xff);
  EXPECT_EQ(read_on(packets(2).raw(bad).raw(records(packets(1))).data()).frames.size(), 3u);
  EXPECT_EQ(read_on(packets(2).raw(bad).raw(records(packets(1))).raw({1}).data()).frames.size(), 2u);
}

TEST(Resync, TimesMustBeWithinADay) {
  const Bytes bad = Bytes(20, 0xff);
  const auto behind = [&](std::uint32_t seconds) {
    return read_on(packets(2).raw(bad).raw(records(packets(3, {}, seconds))).data()).frames.size();
  };
  EXPECT_EQ(behind(kSeconds + 1 + kDay - 2), 5u);  // the second is a day later than the last, to the ns
  EXPECT_EQ(behind(kSeconds + 1 + kDay + 1), 2u);
  EXPECT_EQ(behind(kSeconds + 1 - kDay), 5u);
  EXPECT_EQ(behind(kSeconds + 1 - kDay - 5), 2u);
  // Where nothing came before, of each other.
  EXPECT_EQ(read_on(PcapFile().raw(bad).raw(records(packets(3, {}, 5))).data()).frames.size(), 3u);
}

// The time that counts is the last that is near the one before it.
TEST(Resync, ATimeThatIsDamagedItselfMisleadsNobody) {
  PcapFile file = packets(3);
  file.record(77, 0, counting_bytes(60)).raw(Bytes(20, 0xff)).raw(records(packets(3)));
  EXPECT_EQ(read_on(file.data()).frames.size(), 7u);
  PcapFile zeros = packets(3).raw(Bytes(64)).raw(Bytes(20, 0xff)).raw(records(packets(3)));
  EXPECT_EQ(read_on(zeros.data()).frames.size(), 10u);  // four of them without bytes
}

// As where reading has come to a wrong place, and goes on by chance.
PcapFile misread(std::uint32_t count) {
  PcapFile file;
  for (std::uint32_t i = 0; i < count; ++i) file.header(1000 + i, 7, 60, 23'000'000).raw(counting_bytes(60));
  return file;
}

TEST(Resync, RecordsWithoutLikelyLengthsMisleadNobody) {
  PcapFile file = packets(10).raw(records(misread(3))).raw(Bytes(20, 0xff)).raw(records(packets(20)));
  const ReadCapture read = read_on(file.data());
  EXPECT_EQ(read.frames.size(), 33u);
  EXPECT_EQ(read.skips, (Skips{.places = 1, .bytes = 20}));
}

TEST(Resync, BehindTheFirstDamageLengthsMustBeLikely) {
  PcapFile file = packets(10).raw(Bytes(20, 0xff)).raw(records(packets(10)));
  const std::uint64_t second = file.size();
  file.raw(records(misread(3))).raw(records(packets(10))).raw(Bytes(5 * 16)).raw(records(packets(10)));
  const ReadCapture read = read_on(file.data());
  EXPECT_EQ(read.frames.size(), 40u);
  EXPECT_EQ(read.skips, (Skips{.places = 3, .bytes = 20 + 3 * 76 + 5 * 16}));
  ASSERT_EQ(read.skipped.size(), 3u);
  EXPECT_EQ(read.skipped[1].offset, second);
  EXPECT_EQ(read.skipped[1].reason, "an unlikely record header");
}

// Where no time is known, records of no bytes are too weak a sign.
TEST(Resync, HeadersWithoutBytesAreNone) {
  const Bytes weak = PcapFile().header(5, 0, 0, 9).header(6, 0, 0, 9).data();
  const PcapFile file = PcapFile().raw(Bytes(20, 0xff)).raw({weak.begin() + 24, weak.end()}).raw(records(packets(5)));
  EXPECT_EQ(read_on(file.data()).frames.size(), 5u);
}

TEST(Resync, OddFractionsAreRightWhereTheFileHadThem) {
  const auto with = [](std::uint32_t fraction_before) {
    PcapFile file;
    file.record(kSeconds, fraction_before, {1}).raw(Bytes(20, 0xff));
    for (int i = 0; i < 3; ++i) file.record(kSeconds, 0xffff3cb0, {2});
    return file.data();
  };
  EXPECT_EQ(read_on(with(0xffffffff)).frames.size(), 4u);
  EXPECT_EQ(read_on(with(5)).frames.size(), 1u);
}

TEST(Resync, ManyPlacesAreCountedAndTheFirstOfThemTold) {
  PcapFile file = packets(1);
  for (int i = 0; i < 100; ++i) file.raw(Bytes(20, 0xff)).raw(records(packets(2)));
  const ReadCapture read = read_on(file.data());
  EXPECT_EQ(read.frames.size(), 201u);
  EXPECT_EQ(read.skips, (Skips{.places = 100, .bytes = 2000, .untold = 100 - Skips::kMostTold}));
  EXPECT_EQ(read.skipped.size(), Skips::kMostTold);
}

TEST(Resync, AnotherFileBehindDamage) {
  const Bytes first = packets(3).raw(Bytes(20, 0xff)).data();
  EXPECT_EQ(read_on(first + packets(4, {.order = std::endian::big}).data()).frames.size(), 7u);
  EXPECT_EQ(read_on(first + PcapngFile().interface(1).enhanced(0, 0, {1}).data()).frames.size(), 4u);
}

PcapngFile blocks(std::uint32_t count, std::endian order = std::endian::little) {
  PcapngFile file(order);
  file.interface(1);
  for (std::uint32_t i = 0; i < count; ++i) file.enhanced(0, i, counting_bytes(30));
  return file;
}

TEST(Resync, PcapngBlocksWhoseLengthsAgree) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PcapngFile file = blocks(5, order);
    const std::uint64_t damage = file.size();
    file.raw(file.writer().u32(6).u32(13).data()).raw(random_bytes(200, 5));
    const std::uint64_t end = file.size();
    file.enhanced(0, 9, {1}).simple(3, {1, 2, 3}).obsolete(0, 1, {4});
    expect_skipped(read_on(file.data()), 8, damage, end - damage, "block length 13");
  }
}

TEST(Resync, PcapngTrailingLengthAndEnd) {
  Bytes file = blocks(3).data();
  file[file.size() - 4] ^= 4;
  const std::uint64_t damage = blocks(2).size();
  expect_skipped(read_on(file + Bytes(3, 1)), 2, damage, file.size() + 3 - damage, "block lengths differ");
}

// The packets of an interface that is lost are no other's.
TEST(Resync, PcapngInterfacesKeepTheirNumbers) {
  PcapngFile file;
  file.interface(1);
  const std::uint64_t damage = file.size();
  Bytes bad = PcapngFile().interface(101).data();
  bad.erase(bad.begin(), bad.begin() + 28);
  bad.back() ^= 1;
  file.raw(bad).interface(228);
  file.enhanced(0, 1, {1}).enhanced(1, 1, {2}).enhanced(2, 1, {3});
  const ReadCapture read = read_on(file.data());
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.frames[0].link, 1);
  EXPECT_EQ(read.frames[1].link, 228);
  EXPECT_EQ(read.skipped.front().offset, damage);
  EXPECT_EQ(read.skips.places, 2u);
}

TEST(Resync, LongPcapngBlocksAreReadAsAlways) {
  PcapngFile file = blocks(2);
  file.block(0x80000001, Bytes(5 << 20)).enhanced(0, 1, {1});
  const ScratchFolder folder;
  const ReadCapture read = read_file(folder.write("capture", file.data()), 1000, kResync);
  EXPECT_EQ(read.frames.size(), 3u);
  EXPECT_EQ(read.skips, Skips{});
}

TEST(Resync, Erf) {
  ErfFile file;
  for (int i = 0; i < 5; ++i) file.record({}, counting_bytes(40));
  const std::uint64_t damage = file.data().size();
  file.header({}, 3, 40).raw(Bytes(30, 0xff));
  const std::uint64_t end = file.data().size();
  for (int i = 0; i < 5; ++i) file.record({.seconds = kSeconds + 100}, counting_bytes(40));
  expect_skipped(read_on(file.data()), 10, damage, end - damage, "record length 3");
}

TEST(Resync, Hpcap) {
  HpcapFile file;
  for (std::uint32_t i = 0; i < 5; ++i) file.record(kSeconds, i, counting_bytes(40));
  const std::uint64_t damage = file.data().size();
  file.header(kSeconds, 1'000'000'000, 40, 40).raw(Bytes(30, 0xff));
  const std::uint64_t end = file.data().size();
  for (std::uint32_t i = 0; i < 5; ++i) file.record(kSeconds + 100, i, counting_bytes(40));
  expect_skipped(read_on(file.data()), 10, damage, end - damage, "nanoseconds 1000000000");
}

// Every place looks like a header whose record leads 2 MiB on, to another that does not: each byte is looked at once.
TEST(Resync, TimeIsLinearInFilesMadeToMislead) {
  const auto seconds_of = [](std::size_t headers) {
    PcapFile file;
    file.record(kSeconds, 1, {1}).raw(Bytes(16, 0xff));
    for (std::size_t i = 0; i < headers; ++i) file.header(kSeconds, 1, (2 << 20) - 3, 60);
    const ScratchFolder folder;
    const std::string path = folder.write("capture", file.data());
    const auto begin = std::chrono::steady_clock::now();
    const ReadCapture read = read_file(path, 1000, kResync);
    EXPECT_EQ(read.frames.size(), 1u);
    EXPECT_EQ(read.skips.bytes, 16 * (headers + 1));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const double once = seconds_of(fewer(500'000));
  EXPECT_LT(seconds_of(fewer(2'000'000)), 16 * once + 1);
}

}  // namespace
}  // namespace warpmeter::test
