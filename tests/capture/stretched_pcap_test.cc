// One pcap file in stretches: guesses that are right, wrong, or missing; what a file that misleads may cost.
#include "capture/stretched_pcap.h"

#include <gtest/gtest.h>

#include "support/pcap_file.h"
#include "support/scratch_folder.h"
#include "support/stretches.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSeconds = 1'700'000'000;

PcapFile records_of(std::size_t count, std::size_t bytes, const PcapDialect& dialect = {}) {
  PcapFile file(dialect);
  for (std::uint32_t i = 0; i < count; ++i) file.record(kSeconds, i, counting_bytes(bytes));
  return file;
}

// Every payload holds headers that lead, with steps of their own, past the next true header into the next payload: a
// walk that begins wrong never finds back.
PcapFile misleading(std::size_t count) {
  constexpr std::uint32_t kStep = 40, kFakes = 10, kPayload = kStep * kFakes;
  PcapFile file;
  for (std::uint32_t i = 0; i < count; ++i) {
    ByteWriter payload(std::endian::little);
    for (std::uint32_t fake = 1; fake <= kFakes; ++fake) {
      const std::uint32_t captured = kStep - 16 + (fake == kFakes ? 16 : 0);  // the last one spans a true header
      payload.u32(kSeconds).u32(0).u32(captured).u32(captured).zeros(kStep - 16);
    }
    EXPECT_EQ(payload.data().size(), kPayload);
    file.record(kSeconds, i, payload.data());
  }
  return file;
}

class StretchedPcapTest : public testing::Test {
 protected:
  struct Outcome {
    TraceContent content;
    std::uint64_t stretches, again;
  };

  // Claims and walks `ahead` stretches before they are settled, and compares with one walk from first to last record.
  Outcome read(const Bytes& file, const StretchOptions& options, std::size_t ahead) {
    const std::string path = folder_.write("capture", file);
    Trace stretched({path}, stop_);
    Settler settler(stretched);
    const TraceContent content = read_ahead(stretched, options, ahead, settler);
    EXPECT_TRUE(content == read_in_order({path}));
    EXPECT_EQ(settler.mistakes, 0);
    return {content, settler.stretches, settler.again};
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
};

TEST_F(StretchedPcapTest, RightGuessesAreKept) {
  for (const std::uint64_t piece : {0, 50, 1000, 10'000}) {
    const Outcome outcome = read(records_of(1000, 50).data(), {.bytes = 5000, .piece = piece}, 20);
    EXPECT_EQ(outcome.content.packets.size(), 1000u);
    EXPECT_EQ(outcome.stretches, 14u);
    EXPECT_EQ(outcome.again, 0u);
  }
}

TEST_F(StretchedPcapTest, SizeFollowsTheWantedFrames) {
  for (const std::size_t bytes : {20, 200, 1000}) {
    const Outcome outcome = read(records_of(1000, bytes).data(), {.frames = 50}, 3);
    EXPECT_NEAR(static_cast<double>(outcome.stretches), 20, 1) << bytes;
  }
}

// A thousand small frames behind a few large ones are soon cut to measure, and no stretch is larger than some bound.
TEST_F(StretchedPcapTest, SizeFollowsTheFile) {
  PcapFile file = records_of(64, 60'000);
  for (std::uint32_t i = 0; i < 100'000; ++i) file.record(kSeconds, i, {});
  Trace trace({folder_.write("capture", file.data())}, stop_);
  WalkedStretch one;
  std::size_t most = 0, stretches = 0;
  for (; trace.claim(one.stretch, {.frames = 100}); ++stretches) {
    one.walk();
    trace.settle(one.stretch, one.window);
    most = std::max(most, one.found.packets.size());
  }
  EXPECT_LE(most, 100u * 1024 / 16);
  EXPECT_GT(stretches, 900u);
}

TEST_F(StretchedPcapTest, AnySizeOfStretch) {
  const Bytes file = records_of(6, 31).data();
  for (std::uint64_t bytes = 1; bytes <= file.size(); ++bytes) {
    for (const std::size_t ahead : {1, 100}) {
      EXPECT_EQ(read(file, {.bytes = bytes, .piece = bytes % 97}, ahead).content.packets.size(), 6u);
    }
  }
}

TEST_F(StretchedPcapTest, StretchesWithoutARecordStart) {
  PcapFile file = records_of(3, 50);
  file.record(kSeconds, 0, Bytes(10'000)).record(kSeconds, 1, {1});
  const Outcome outcome = read(file.data(), {.bytes = 100}, 200);
  EXPECT_EQ(outcome.content.packets.size(), 5u);
  EXPECT_LE(outcome.again, 2u);  // the last records are too few for a guess
}

TEST_F(StretchedPcapTest, FileWithoutRecordsIsOneStretch) {
  const Outcome outcome = read(PcapFile().data(), {}, 1);
  EXPECT_EQ(outcome.stretches, 1u);
  EXPECT_EQ(outcome.content.bytes_read, 24u);
}

TEST_F(StretchedPcapTest, MisleadingFileIsReadRight) {
  const Outcome outcome = read(misleading(2000).data(), {.bytes = 20'000}, 4);
  EXPECT_EQ(outcome.content.packets.size(), 2000u);
  EXPECT_GT(outcome.again, 0u);
}

// After a few guesses in vain a file is trusted less; then stretches are walked when they are settled, once.
TEST_F(StretchedPcapTest, GuessingStopsWhereItIsInVain) {
  Trace trace({folder_.write("capture", misleading(5000).data())}, stop_);
  std::vector<WalkedStretch> ahead(2);
  int wrong = 0, stretches = 0;
  while (trace.claim(ahead[0].stretch, {.bytes = 8300}) && trace.claim(ahead[1].stretch, {.bytes = 8300})) {
    ahead[1].walk();
    wrong += ahead[1].stretch.found.has_value();
    ahead[0].walk();
    for (WalkedStretch& one : ahead) trace.settle(one.stretch, one.window);
    stretches += 2;
  }
  EXPECT_GT(stretches, 200);
  EXPECT_GT(wrong, 3);
  EXPECT_LT(wrong, 8 + stretches / 14);
}

// The records are larger than the pieces, and than what is looked at of a stretch at first.
TEST_F(StretchedPcapTest, RecordsLargerThanAPiece) {
  const Outcome outcome = read(records_of(40, 300'000).data(), {.bytes = 1'000'000, .piece = 10'000}, 4);
  EXPECT_EQ(outcome.content.packets.size(), 40u);
  PcapFile file = records_of(3, kMaxCaptured);
  EXPECT_EQ(read(file.data(), {}, 2).content.packets.size(), 3u);
}

TEST_F(StretchedPcapTest, NothingBehindDamageCounts) {
  PcapFile file = records_of(300, 50);
  file.header(kSeconds, 0, kMaxCaptured + 1, kMaxCaptured + 1);
  for (std::uint32_t i = 0; i < 300; ++i) file.record(kSeconds, i, counting_bytes(50));
  for (const std::size_t ahead : {1, 3, 100}) {
    const Outcome outcome = read(file.data(), {.bytes = 1000, .piece = 300}, ahead);
    EXPECT_EQ(outcome.content.packets.size(), 300u);
    ASSERT_EQ(outcome.content.damage.size(), 1u);
    EXPECT_EQ(std::get<2>(outcome.content.damage[0]), "captured length 2097153");
    EXPECT_EQ(outcome.content.bytes_read, 24 + 300 * 66u);
  }
}

// Once damage is known no more stretches are claimed.
TEST_F(StretchedPcapTest, DamagedFileIsNotReadToItsEnd) {
  PcapFile file = records_of(10, 50);
  file.header(kSeconds, 0, kMaxCaptured + 1, 1).raw(Bytes(100'000));
  EXPECT_LE(read(file.data(), {.bytes = 100}, 1).stretches, 8u);
}

}  // namespace
}  // namespace warpmeter::test
