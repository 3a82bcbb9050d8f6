// Guesses: found where records are, in every dialect; not found in what only looks a little like them.
#include "packet/file/pcap_guess.h"

#include <gtest/gtest.h>

#include "support/pcap_file.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSeconds = 1'700'000'000;
constexpr std::uint64_t kHeader = PcapFormat::kFileHeader;

// Ten records of 50 bytes.
PcapFile ten_records(const PcapDialect& dialect = {}) {
  PcapFile file(dialect);
  for (std::uint32_t i = 0; i < 10; ++i) file.record(kSeconds + i, 999'999, counting_bytes(50));
  return file;
}

std::optional<std::uint64_t> guess(const Bytes& file, std::uint64_t begin, std::uint64_t end = UINT64_MAX,
                                   PcapGuess::Odd odd = {}) {
  const PcapFormat format = PcapFormat::parse(file.data());
  return PcapGuess(format, {file.data(), 0, file.size(), true}, file.size(), kSeconds + 1000, odd).find(begin, end);
}

TEST(PcapGuess, FindsTheNextRecordInEveryDialect) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    for (const std::uint32_t magic : {kPcapMicroseconds, kPcapNanoseconds, kPcapModified}) {
      for (std::uint16_t minor = 2; minor <= 4; ++minor) {
        SCOPED_TRACE(testing::Message() << (order == std::endian::big) << ' ' << magic << ' ' << minor);
        const PcapFile file = ten_records({.order = order, .magic = magic, .minor = minor});
        const std::uint64_t whole = (file.size() - kHeader) / 10;
        EXPECT_EQ(guess(file.data(), kHeader), kHeader);
        for (std::uint64_t at = kHeader + 1; at <= kHeader + whole; ++at)
          EXPECT_EQ(guess(file.data(), at), kHeader + whole);
      }
    }
  }
}

TEST(PcapGuess, OddFractionsWhereTheFileHasThem) {
  PcapFile file;
  for (std::uint32_t i = 0; i < 10; ++i) file.record(kSeconds + i, 0xffff3cb0, counting_bytes(50));
  EXPECT_EQ(guess(file.data(), kHeader + 1), std::nullopt);
  EXPECT_EQ(guess(file.data(), kHeader + 1, UINT64_MAX, {.odd_fractions = true}), kHeader + 66);
}

TEST(PcapGuess, StaysWithinItsBytes) {
  const Bytes file = ten_records().data();
  EXPECT_EQ(guess(file, kHeader + 1, kHeader + 66), std::nullopt);
  EXPECT_EQ(guess(file, kHeader + 1, kHeader + 67), kHeader + 66);
  EXPECT_EQ(guess(file, file.size()), std::nullopt);
  EXPECT_EQ(guess(Bytes(file.begin(), file.begin() + 30), kHeader), std::nullopt);
}

// Fewer records than a chain has are enough where the file ends with them; not where it ends in one.
TEST(PcapGuess, LastRecordsOfTheFile) {
  Bytes file = ten_records().data();
  const std::uint64_t last = file.size() - 66;
  EXPECT_EQ(guess(file, last), last);
  file.pop_back();
  EXPECT_EQ(guess(file, last), std::nullopt);
}

// Where a window ends and the file does not, two records that look right are enough, one is not.
TEST(PcapGuess, ChainsMayLeaveTheWindow) {
  const Bytes file = ten_records().data();
  const PcapFormat format = PcapFormat::parse(file.data());
  const auto guess_in = [&](std::uint64_t begin, std::uint64_t end) {
    const FileBytes window{file.data() + begin, begin, end, false};
    return PcapGuess(format, window, file.size(), kSeconds, {}).find(begin, end);
  };
  const std::uint64_t second = kHeader + 66;
  EXPECT_EQ(guess_in(kHeader + 5, second + 66 + 16), second);
  EXPECT_EQ(guess_in(kHeader + 5, second + 66 + 15), std::nullopt);
}

TEST(PcapGuess, FalseFriends) {
  EXPECT_EQ(guess(PcapFile().raw(Bytes(1000)).data(), kHeader), std::nullopt) << "zeros";
  EXPECT_EQ(guess(PcapFile().raw(Bytes(1000, 0xff)).data(), kHeader), std::nullopt) << "ones";
  EXPECT_EQ(guess(PcapFile().raw(counting_bytes(5000)).data(), kHeader), std::nullopt) << "counting bytes";
  const auto in_a_row = [](auto add) {
    PcapFile file;
    for (int i = 0; i < 10; ++i) add(file);
    file.raw({0});  // or the last one would be a chain of its own
    return guess(file.data(), kHeader);
  };
  const Bytes bytes(50);
  EXPECT_TRUE(in_a_row([&](PcapFile& f) { f.header(kSeconds, 0, 50, 60).raw(bytes); }));
  EXPECT_FALSE(in_a_row([&](PcapFile& f) { f.header(kSeconds, 0, 50, 49).raw(bytes); })) << "more than there was";
  EXPECT_FALSE(in_a_row([&](PcapFile& f) { f.header(kSeconds, 0, 0, 0); })) << "a packet without length";
  EXPECT_FALSE(in_a_row([&](PcapFile& f) { f.header(kSeconds, 1'000'000, 50, 50).raw(bytes); })) << "fraction";
  EXPECT_FALSE(in_a_row([&](PcapFile& f) { f.header(1, 0, 50, 50).raw(bytes); })) << "another time";
  std::uint32_t day = 0;
  EXPECT_FALSE(in_a_row([&](PcapFile& f) { f.header(kSeconds + 86'401 * day++, 0, 50, 50).raw(bytes); })) << "days";
}

TEST(PcapGuess, FilesMayHaveCapturedMoreThanThereWas) {
  PcapFile file;
  for (int i = 0; i < 10; ++i) file.header(kSeconds, 0, 50, 49).raw(Bytes(50));
  EXPECT_EQ(guess(file.data(), kHeader + 1, UINT64_MAX, {.long_captured = true}), kHeader + 66);
}

// As documented: a guess may be wrong.
TEST(PcapGuess, IsFooledByACaptureInAPayload) {
  const Bytes inner = ten_records().data();
  const Bytes file = PcapFile().record(kSeconds, 0, inner).data();
  EXPECT_EQ(guess(file, kHeader + 1), kHeader + 16 + kHeader);
}

}  // namespace
}  // namespace warpmeter::test
