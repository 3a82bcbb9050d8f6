// One pcap file in chunks: guesses that are right, wrong, or missing; what a file that misleads may cost.
#include "packet/file/chunked_pcap.h"

#include <gtest/gtest.h>

#include "support/chunks.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"

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

class ChunkedPcapTest : public testing::Test {
 protected:
  struct Outcome {
    TraceContent content;
    std::uint64_t chunks, again;
  };

  // Claims and walks `ahead` chunks before they are committed, and compares with one walk from first to last record.
  Outcome read(const Bytes& file, const Cut& cut, std::size_t ahead) {
    const std::string path = folder_.write("capture", file);
    Trace chunked({path}, stop_);
    Committer committer(chunked);
    const TraceContent content = read_ahead(chunked, cut, ahead, committer);
    EXPECT_TRUE(content == read_in_order({path}));
    EXPECT_EQ(committer.mistakes, 0);
    return {content, committer.chunks, committer.again};
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
};

TEST_F(ChunkedPcapTest, RightGuessesAreKept) {
  for (const std::uint64_t piece : {0, 50, 1000, 10'000}) {
    const Outcome outcome = read(records_of(1000, 50).data(), {.bytes = 5000, .piece = piece}, 20);
    EXPECT_EQ(outcome.content.packets.size(), 1000u);
    EXPECT_EQ(outcome.chunks, 14u);
    EXPECT_EQ(outcome.again, 0u);
  }
}

TEST_F(ChunkedPcapTest, SizeFollowsTheWantedFrames) {
  for (const std::size_t bytes : {20, 200, 1000}) {
    const Outcome outcome = read(records_of(1000, bytes).data(), {.frames = 50}, 3);
    EXPECT_NEAR(static_cast<double>(outcome.chunks), 20, 1) << bytes;
  }
}

TEST_F(ChunkedPcapTest, SizeHasALimitInBytes) {
  Trace trace({folder_.write("capture", records_of(1000, 984).data())}, stop_);
  ReadChunk one;
  std::size_t chunks = 0;
  for (; one.claim(trace, {.frames = 500, .bytes = 50'000}); ++chunks) {
    one.read();
    trace.commit(one.chunk, one.view);
  }
  EXPECT_EQ(chunks, 20u);
}

// A thousand small frames behind a few large ones are soon cut to measure, and no chunk is larger than some bound.
TEST_F(ChunkedPcapTest, SizeFollowsTheFile) {
  PcapFile file = records_of(64, 60'000);
  for (std::uint32_t i = 0; i < 100'000; ++i) file.record(kSeconds, i, {});
  Trace trace({folder_.write("capture", file.data())}, stop_);
  ReadChunk one;
  std::size_t most = 0, chunks = 0;
  for (; one.claim(trace, {.frames = 100}); ++chunks) {
    one.read();
    trace.commit(one.chunk, one.view);
    most = std::max(most, one.found.packets.size());
  }
  EXPECT_LE(most, 100u * 1024 / 16);
  EXPECT_GT(chunks, 900u);
}

TEST_F(ChunkedPcapTest, AnySizeOfChunk) {
  const Bytes file = records_of(6, 31).data();
  for (std::uint64_t bytes = 1; bytes <= file.size(); ++bytes) {
    for (const std::size_t ahead : {1, 100}) {
      EXPECT_EQ(read(file, {.bytes = bytes, .piece = bytes % 97}, ahead).content.packets.size(), 6u);
    }
  }
}

TEST_F(ChunkedPcapTest, ChunksWithoutARecordStart) {
  PcapFile file = records_of(3, 50);
  file.record(kSeconds, 0, Bytes(10'000)).record(kSeconds, 1, {1});
  const Outcome outcome = read(file.data(), {.bytes = 100}, 200);
  EXPECT_EQ(outcome.content.packets.size(), 5u);
  EXPECT_LE(outcome.again, 2u);  // the last records are too few for a guess
}

TEST_F(ChunkedPcapTest, FileWithoutRecordsIsOneChunk) {
  const Outcome outcome = read(PcapFile().data(), {}, 1);
  EXPECT_EQ(outcome.chunks, 1u);
  EXPECT_EQ(outcome.content.bytes_read, 24u);
}

TEST_F(ChunkedPcapTest, MisleadingFileIsReadRight) {
  const Outcome outcome = read(misleading(2000).data(), {.bytes = 20'000}, 4);
  EXPECT_EQ(outcome.content.packets.size(), 2000u);
  EXPECT_GT(outcome.again, 0u);
}

// After a few guesses in vain a file is trusted less; then chunks are walked when they are committed, once.
TEST_F(ChunkedPcapTest, GuessingStopsWhereItIsInVain) {
  Trace trace({folder_.write("capture", misleading(5000).data())}, stop_);
  std::vector<ReadChunk> ahead(2);
  int wrong = 0, chunks = 0;
  while (ahead[0].claim(trace, {.bytes = 8300}) && ahead[1].claim(trace, {.bytes = 8300})) {
    ahead[1].read();
    wrong += ahead[1].chunk.found.has_value();
    ahead[0].read();
    for (ReadChunk& one : ahead) trace.commit(one.chunk, one.view);
    chunks += 2;
  }
  EXPECT_GT(chunks, 200);
  EXPECT_GT(wrong, 3);
  EXPECT_LT(wrong, 8 + chunks / 14);
}

// The records are larger than the pieces, and than what is looked at of a chunk at first.
TEST_F(ChunkedPcapTest, RecordsLargerThanAPiece) {
  const Outcome outcome = read(records_of(40, 300'000).data(), {.bytes = 1'000'000, .piece = 10'000}, 4);
  EXPECT_EQ(outcome.content.packets.size(), 40u);
  PcapFile file = records_of(3, kMaxCaptured);
  EXPECT_EQ(read(file.data(), {}, 2).content.packets.size(), 3u);
}

TEST_F(ChunkedPcapTest, NothingBehindDamageCounts) {
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

// Once damage is known no more chunks are claimed.
TEST_F(ChunkedPcapTest, DamagedFileIsNotReadToItsEnd) {
  PcapFile file = records_of(10, 50);
  file.header(kSeconds, 0, kMaxCaptured + 1, 1).raw(Bytes(100'000));
  EXPECT_LE(read(file.data(), {.bytes = 100}, 1).chunks, 8u);
}

}  // namespace
}  // namespace warpmeter::test
