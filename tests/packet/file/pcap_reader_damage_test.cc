// Damaged pcap files: what was read counts, offset and reason are told (section 3 of the definitions).
#include <gtest/gtest.h>

#include "support/pcap_file.h"
#include "support/read_capture.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kTwoMiB = 2 << 20;

PcapFile with_one_record(const PcapDialect& dialect = {}) { return PcapFile(dialect).record(1, 0, {1, 2, 3, 4}); }

void expect_damage(const Bytes& file, std::size_t frames, std::uint64_t offset, const std::string& reason) {
  const ReadCapture read = read_bytes(file);
  EXPECT_EQ(read.frames.size(), frames);
  ASSERT_TRUE(read.damage.has_value());
  EXPECT_EQ(read.damage->offset, offset);
  EXPECT_EQ(read.damage->reason, reason);
}

// The first record is 20 bytes long and ends at 44; the second begins there.
TEST(PcapDamage, EveryCutOfTheSecondRecord) {
  const Bytes whole = with_one_record().record(2, 0, {5, 6, 7, 8}).data();
  ASSERT_EQ(whole.size(), 64u);
  for (std::size_t size = 45; size < 64; ++size) {
    SCOPED_TRACE(size);
    expect_damage(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), 1, 44,
                  size < 60 ? "record header cut short" : "record cut short");
  }
}

TEST(PcapDamage, NoneWhereAFileEndsBetweenRecords) {
  EXPECT_FALSE(read_bytes(with_one_record().data()).damage.has_value());
}

TEST(PcapDamage, CutModifiedRecordHeader) {
  PcapFile file = with_one_record({.magic = kPcapModified});
  expect_damage(file.raw(Bytes(23)).data(), 1, 52, "record header cut short");
}

TEST(PcapDamage, TwoMebibytesAreTheMostThatIsRead) {
  PcapFile file;
  file.record(1, 0, Bytes(kTwoMiB, 7)).record(2, 0, {1});
  const ReadCapture read = read_bytes(file.data());
  EXPECT_FALSE(read.damage.has_value());
  ASSERT_EQ(read.frames.size(), 2u);
  EXPECT_EQ(read.frames[0].bytes.size(), kTwoMiB);
}

TEST(PcapDamage, OneByteMoreIsDamageThoughItIsThere) {
  PcapFile file = with_one_record();
  file.record(1, 0, Bytes(kTwoMiB + 1, 7)).record(2, 0, {1});
  expect_damage(file.data(), 1, 44, "captured length 2097153");
}

TEST(PcapDamage, LargestLength) {
  expect_damage(with_one_record().header(1, 0, 0xffffffff, 60).data(), 1, 44, "captured length 4294967295");
}

TEST(PcapDamage, SwappedLengthsAreCheckedAfterTheSwap) {
  expect_damage(with_one_record({.minor = 2}).header(1, 0, 1, kTwoMiB + 1).data(), 1, 44, "captured length 2097153");
  PcapFile sound({.minor = 2});
  sound.header(1, 0, 0xffffffff, 1).raw({9});
  EXPECT_FALSE(read_bytes(sound.data()).damage.has_value());
}

TEST(PcapDamage, FirstRecordOfAll) { expect_damage(PcapFile().raw({1}).data(), 0, 24, "record header cut short"); }

TEST(PcapDamage, NamesTheFile) {
  const ScratchFolder folder;
  const std::string path = folder.write("broken.pcap", PcapFile().raw({1}).data());
  EXPECT_EQ(read_file(path).damage->file, path);
}

TEST(PcapDamage, ReadingAgainAfterItFindsNothingMore) {
  const ScratchFolder folder;
  const std::atomic<bool> stop = false;
  const auto reader = open_capture(folder.write("x", with_one_record().raw({1}).data()), stop);
  FrameBlock block;
  EXPECT_FALSE(reader->read(block, 100));
  EXPECT_FALSE(reader->read(block, 100));
  EXPECT_EQ(block.frames.size(), 1u);
  EXPECT_EQ(reader->damage()->offset, 44u);
}

}  // namespace
}  // namespace warpmeter::test
