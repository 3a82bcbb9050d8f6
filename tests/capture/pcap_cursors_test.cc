// Cursors: what one walk finds, several find; ends, faults, and starts that were wrong.
#include "capture/pcap_cursors.h"

#include <gtest/gtest.h>

#include <deque>

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
  PcapBytes bytes() const { return {format, file.data().data(), file.size()}; }

  PcapFile file;
  std::vector<std::uint64_t> starts;
  PcapFormat format = PcapFormat::parse(file.data().data());
};

class Cursors {
 public:
  void add(std::uint64_t start, std::uint64_t end) { cursors_.push_back({start, end, &blocks_.emplace_back()}); }
  unsigned walk_and_stitch(const PcapBytes& bytes) {
    walk(bytes, cursors_);
    return stitch(bytes, cursors_);
  }
  // The fractions of the records found, cursor after cursor.
  std::vector<std::int64_t> found() const {
    std::vector<std::int64_t> all;
    for (const FrameBlock& block : blocks_) {
      for (const Frame& frame : block.frames) all.push_back((frame.time_ns - 1'000'000'000) / 1000);
    }
    return all;
  }
  const PcapCursor& operator[](std::size_t i) const { return cursors_[i]; }

 private:
  std::deque<FrameBlock> blocks_;
  std::vector<PcapCursor> cursors_;
};

std::vector<std::int64_t> numbers(std::int64_t until) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < until; ++i) all.push_back(i);
  return all;
}

TEST(PcapCursors, OneFindsAllRecords) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const Walkable walkable(40, {.order = order});
    Cursors cursors;
    cursors.add(walkable.starts[0], walkable.file.size());
    EXPECT_EQ(cursors.walk_and_stitch(walkable.bytes()), 0u);
    EXPECT_EQ(cursors.found(), numbers(40));
    EXPECT_EQ(cursors[0].at, walkable.file.size());
    EXPECT_EQ(cursors[0].fault, PcapFault::none);
  }
}

// A record belongs to the cursor in whose bytes its header begins.
TEST(PcapCursors, EndsAreBeforeTheFirstHeaderOfOthers) {
  const Walkable walkable(10);
  for (std::uint64_t end = walkable.starts[4] + 1; end <= walkable.starts[5]; ++end) {
    Cursors cursors;
    cursors.add(walkable.starts[0], end);
    cursors.walk_and_stitch(walkable.bytes());
    EXPECT_EQ(cursors.found(), numbers(5));
    EXPECT_EQ(cursors[0].at, walkable.starts[5]);
  }
}

TEST(PcapCursors, SeveralFindTheSame) {
  const Walkable walkable(100);
  for (const std::size_t apart : {1, 3, 10, 34, 99}) {
    Cursors cursors;
    for (std::size_t i = 0; i < 100; i += apart) {
      cursors.add(walkable.starts[i], walkable.starts[std::min<std::size_t>(i + apart, 100)]);
    }
    EXPECT_EQ(cursors.walk_and_stitch(walkable.bytes()), 0u);
    EXPECT_EQ(cursors.found(), numbers(100)) << apart;
  }
}

TEST(PcapCursors, WrongStartIsWalkedAgain) {
  const Walkable walkable(60);
  const std::uint64_t a = walkable.starts[20], b = walkable.starts[40], end = walkable.file.size();
  for (const std::uint64_t start : {a + 1, a + 16, walkable.starts[21], b - 1}) {
    Cursors cursors;
    cursors.add(walkable.starts[0], a);
    cursors.add(start, b);
    cursors.add(b, end);
    EXPECT_EQ(cursors.walk_and_stitch(walkable.bytes()), 1u);
    EXPECT_EQ(cursors.found(), numbers(60)) << start - a;
    EXPECT_EQ(cursors[2].at, end);
  }
}

// The one before passes by all bytes of the next.
TEST(PcapCursors, NothingLeftForACursor) {
  Walkable walkable(3);
  walkable.file.record(1, 3, Bytes(500)).record(1, 4, {1});
  const std::uint64_t large = walkable.starts[3];
  Cursors cursors;
  cursors.add(walkable.starts[0], large + 100);
  cursors.add(large + 120, large + 200);
  cursors.add(large + 300, walkable.file.size());
  EXPECT_EQ(cursors.walk_and_stitch(walkable.bytes()), 2u);
  EXPECT_EQ(cursors.found(), numbers(5));
  EXPECT_EQ(cursors[1].at, large + 516);
}

TEST(PcapCursors, NothingIsLeftBehindAFault) {
  Walkable walkable(20);
  walkable.file.header(1, 20, kMaxCaptured + 1, kMaxCaptured + 1);
  const std::uint64_t bad = walkable.starts[20], behind = walkable.file.size();
  walkable.file.record(1, 21, {1}).record(1, 22, {2});
  Cursors cursors;
  cursors.add(walkable.starts[0], walkable.starts[10]);
  cursors.add(walkable.starts[10], behind);
  cursors.add(behind, walkable.file.size());
  EXPECT_EQ(cursors.walk_and_stitch(walkable.bytes()), 1u);
  EXPECT_EQ(cursors.found(), numbers(20));
  EXPECT_EQ(cursors[2].at, bad);
  EXPECT_EQ(cursors[2].fault, PcapFault::too_long);
}

TEST(PcapCursors, FaultsOfACutFile) {
  const Walkable walkable(7);
  const std::uint64_t last = walkable.starts[6];
  for (std::uint64_t size = last + 1; size < walkable.file.size(); ++size) {
    Cursors cursors;
    cursors.add(walkable.starts[0], size);
    PcapBytes cut = walkable.bytes();
    cut.size = size;
    cursors.walk_and_stitch(cut);
    EXPECT_EQ(cursors.found(), numbers(6));
    EXPECT_EQ(cursors[0].at, last);
    EXPECT_EQ(cursors[0].fault, size < last + 16 ? PcapFault::header_cut_short : PcapFault::record_cut_short);
  }
}

}  // namespace
}  // namespace warpmeter::test
