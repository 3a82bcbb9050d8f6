// Walks: all records, to an end, in pieces, and where they stop making sense.
#include "packet/file/pcap_format.h"

#include <gtest/gtest.h>

#include "support/pcap_file.h"

namespace warpmeter::test {
namespace {

// Record i holds i % 7 bytes of value i. The first begins at starts[0]; starts.back() is the end of the file.
struct Walkable {
  explicit Walkable(std::uint8_t records, const PcapDialect& dialect = {}) : file(dialect) {
    for (std::uint8_t i = 0; i < records; ++i) {
      starts.push_back(file.size());
      file.record(1, i, Bytes(i % 7u, i));
    }
    starts.push_back(file.size());
  }
  // Of the file's bytes those in [begin, end).
  FileBytes bytes(std::uint64_t begin, std::uint64_t end) const {
    return {file.data().data() + begin, begin, end, end == file.size()};
  }
  FileBytes bytes() const { return bytes(0, file.size()); }

  PcapFile file;
  std::vector<std::uint64_t> starts;
  PcapFormat format = PcapFormat::parse(file.data().data());
};

// The fractions of the records that were found.
std::vector<std::int64_t> numbers_of(const std::vector<Frame>& frames) {
  std::vector<std::int64_t> all;
  for (const Frame& frame : frames) all.push_back((frame.time_ns - 1'000'000'000) / 1000);
  return all;
}

std::vector<std::int64_t> numbers(std::int64_t until) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < until; ++i) all.push_back(i);
  return all;
}

TEST(PcapWalk, FindsAllRecords) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Walkable walkable(40, {.order = order});
    PcapWalk all{walkable.starts[0]};
    std::vector<Frame> frames;
    walk_records(walkable.format, walkable.bytes(), walkable.file.size(), all, frames);
    EXPECT_EQ(numbers_of(frames), numbers(40));
    EXPECT_EQ(all.at, walkable.file.size());
    EXPECT_EQ(all.fault, PcapFault::none);
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_EQ(Bytes(frames[i].data, frames[i].data + frames[i].captured), Bytes(i % 7, static_cast<std::uint8_t>(i)));
    }
  }
}

// A record belongs to the walk in whose bytes its header begins.
TEST(PcapWalk, EndsBeforeTheFirstHeaderOfOthers) {
  const Walkable walkable(10);
  for (std::uint64_t end = walkable.starts[4] + 1; end <= walkable.starts[5]; ++end) {
    PcapWalk five{walkable.starts[0]};
    std::vector<Frame> frames;
    walk_records(walkable.format, walkable.bytes(), end, five, frames);
    EXPECT_EQ(numbers_of(frames), numbers(5));
    EXPECT_EQ(five.at, walkable.starts[5]);
  }
}

TEST(PcapWalk, StopsAtSoManyFrames) {
  const Walkable walkable(10);
  PcapWalk some{walkable.starts[0]};
  std::vector<Frame> frames;
  std::size_t expected = 0;
  for (const std::size_t most : {3, 3, 0, 4, 7, 100}) {
    walk_records(walkable.format, walkable.bytes(), walkable.file.size(), some, frames, most);
    expected = std::max(expected, std::min<std::size_t>(most, 10));
    EXPECT_EQ(frames.size(), expected);
    EXPECT_EQ(some.at, frames.size() == 10 ? walkable.file.size() : walkable.starts[frames.size()]);
    EXPECT_EQ(some.fault, PcapFault::none);
  }
  EXPECT_EQ(numbers_of(frames), numbers(10));
}

// Where the bytes of a piece end the walk goes on with those of the next.
TEST(PcapWalk, GoesOnInTheNextPiece) {
  const Walkable walkable(100);
  for (const std::uint64_t piece : {40, 100, 333, 1000}) {
    PcapWalk all{walkable.starts[0]};
    std::vector<Frame> frames;
    while (all.at < walkable.file.size()) {
      const std::uint64_t before = all.at, end = std::min<std::uint64_t>(before + piece, walkable.file.size());
      walk_records(walkable.format, walkable.bytes(before, end), walkable.file.size(), all, frames);
      ASSERT_GT(all.at, before);
      EXPECT_EQ(all.is_cut_short(), all.at < walkable.file.size());
    }
    EXPECT_EQ(numbers_of(frames), numbers(100));
  }
}

TEST(PcapWalk, StopsWhereALengthIsNonsense) {
  Walkable walkable(20);
  walkable.file.header(1, 20, kMaxCaptured + 1, kMaxCaptured + 1);
  const std::uint64_t bad = walkable.starts[20];
  walkable.file.record(1, 21, {1}).record(1, 22, {2});
  PcapWalk all{walkable.starts[0]};
  std::vector<Frame> frames;
  walk_records(walkable.format, walkable.bytes(), walkable.file.size(), all, frames);
  EXPECT_EQ(numbers_of(frames), numbers(20));
  EXPECT_EQ(all.at, bad);
  EXPECT_EQ(all.fault, PcapFault::too_long);
  EXPECT_EQ(all.captured, kMaxCaptured + 1);
}

TEST(PcapWalk, FaultsOfACutFile) {
  const Walkable walkable(7);
  const std::uint64_t last = walkable.starts[6];
  for (std::uint64_t size = last + 1; size < walkable.file.size(); ++size) {
    PcapWalk all{walkable.starts[0]};
    std::vector<Frame> frames;
    walk_records(walkable.format, walkable.bytes(0, size), walkable.file.size(), all, frames);
    EXPECT_EQ(numbers_of(frames), numbers(6));
    EXPECT_EQ(all.at, last);
    EXPECT_EQ(all.fault, size < last + 16 ? PcapFault::header_cut_short : PcapFault::record_cut_short);
  }
}

}  // namespace
}  // namespace warpmeter::test
