// Segment files: what is written comes back, and any file that is another one is refused.
#include "packet/segments/segment_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "base/files/found_file.h"
#include "support/scratch_folder.h"
#include "support/segment_files.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FramedSegment;
using test::thrown_text;

SegmentFileHeader small_rows(std::uint32_t row_frames = 64) {
  SegmentFileHeader header;
  header.row_frames = row_frames;
  return header;
}

std::string refused_bytes(const Bytes& bytes) {
  return thrown_text([&] { test::read_segments("x.segments", bytes); });
}

std::size_t count_of_blocks(const Bytes& bytes) {
  SegmentFile file("x", std::make_shared<RegularFile>(bytes.data(), bytes.size()));
  std::size_t blocks = 0;
  for (SegmentFile::Block block; file.next(block);) ++blocks;
  return blocks;
}

TEST(SegmentFile, GivesBackWhatWasWritten) {
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    for (const std::uint64_t apart : {0, 3, 200}) {
      const auto all = test::RandomSegments(count + apart).next_ones(count, apart);
      const Bytes bytes = test::segment_file(small_rows(), all, test::facts_of(all));
      ASSERT_EQ(test::read_segments("x", bytes), all);
      SegmentFile file("x", std::make_shared<RegularFile>(bytes.data(), bytes.size()));
      EXPECT_EQ(file.segments(), count);
      EXPECT_EQ(file.bytes(), bytes.size());
      EXPECT_EQ(file.header().row_frames, 64u);
      EXPECT_EQ(set_facts_json(file.facts()), set_facts_json(test::facts_of(all)));
    }
  }
}

TEST(SegmentFile, BlockIsOfOneRow) {
  std::vector<FramedSegment> all = test::RandomSegments(1).next_ones(4);
  const std::uint64_t frames[] = {0, 63, 64, 64 * 1000};  // rows 0, 0, 1, 1000
  for (std::size_t i = 0; i < 4; ++i) all[i].frame = frames[i];
  const Bytes bytes = test::segment_file(small_rows(), all, test::facts_of(all));
  EXPECT_EQ(count_of_blocks(bytes), 3u);
  EXPECT_EQ(test::read_segments("x", bytes), all);
}

TEST(SegmentFile, EmptyOneHasItsFacts) {
  SetFacts facts;
  facts.counters.frames = 1000;
  const Bytes bytes = test::segment_file({}, {}, facts);
  EXPECT_EQ(count_of_blocks(bytes), 0u);
  SegmentFile file("x", std::make_shared<RegularFile>(bytes.data(), bytes.size()));
  EXPECT_EQ(set_facts_json(file.facts()), set_facts_json(facts));
}

TEST(SegmentFile, HeaderIsAsDocumented) {
  const Bytes bytes = test::segment_file({}, {}, {});
  EXPECT_EQ(std::string(bytes.begin(), bytes.begin() + 8), "WMSEG\r\n\x1a");
  EXPECT_EQ(bytes[8], 2);
  EXPECT_EQ(bytes[11], 1);
  EXPECT_EQ(bytes[14], 8);  // 2^19
  EXPECT_EQ(std::string(bytes.end() - 8, bytes.end()), "WMSEND\r\n");
}

TEST(SegmentFile, FilesOfASetHaveItsNumber) {
  const test::ScratchFolder folder;
  const auto all = test::RandomSegments(1).next_ones(100);
  const auto a = test::write_set(folder.file("a"), 4, 64, all, test::facts_of(all));
  const auto b = test::write_set(folder.file("b"), 4, 65, all, test::facts_of(all));
  const auto c = test::write_set(folder.file("c"), 8, 64, all, test::facts_of(all));
  SetFacts other = test::facts_of(all);
  other.inputs = {"b.pcap"};
  const auto d = test::write_set(folder.file("d"), 4, 64, all, other);
  const std::uint64_t set = SegmentFile(a.front()).set();
  for (const std::string& name : a) EXPECT_EQ(SegmentFile(name).set(), set);
  for (const auto& names : {b, c, d}) {
    for (const std::string& name : names) EXPECT_NE(SegmentFile(name).set(), set);
  }
}

TEST(SegmentFile, IsKnownByItsBeginning) {
  const test::ScratchFolder folder;
  const Bytes bytes = test::segment_file({}, {}, {});
  EXPECT_TRUE(is_segment_file(folder.write("a", bytes)));
  EXPECT_TRUE(is_segment_file(folder.write("cut", {bytes.begin(), bytes.begin() + 8})));
  EXPECT_FALSE(is_segment_file(folder.write("shorter", {bytes.begin(), bytes.begin() + 7})));
  EXPECT_FALSE(is_segment_file(folder.write("other", Bytes(100))));
  EXPECT_FALSE(is_segment_file(folder.path()));
  EXPECT_FALSE(is_segment_file(folder.file("nothing")));
  EXPECT_FALSE(is_segment_file("/dev/null"));
}

// What reads it says so: one file that was swapped in a folder ends no run.
TEST(SegmentFile, APlantedLinkIsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can give links to somebody else";
  const test::ScratchFolder folder;
  const std::string path = folder.file("link");
  test::write_file(folder.file("a"), std::string("some text"));
  ASSERT_EQ(symlink("a", path.c_str()), 0);
  ASSERT_EQ(lchown(path.c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  note_found_in(folder.path());
  EXPECT_FALSE(is_segment_file(path));
}

TEST(SegmentFile, MustBeAFile) {
  const test::ScratchFolder folder;
  EXPECT_EQ(thrown_text([&] { SegmentFile(folder.file("no")); }), folder.file("no") + ": No such file or directory");
  EXPECT_EQ(thrown_text([&] { SegmentFile(folder.path()); }), folder.path() + ": segments are read from files only");
  EXPECT_EQ(thrown_text([] { SegmentFile("/dev/null"); }), "/dev/null: segments are read from files only");
}

TEST(SegmentFile, RefusesOtherFilesAndVersions) {
  Bytes bytes = test::segment_file({}, {}, {});
  bytes[8] = 1;
  EXPECT_EQ(refused_bytes(bytes), "x.segments: segment file of version 1, which is too old: decode its captures again");
  bytes[8] = 3;
  EXPECT_EQ(refused_bytes(bytes), "x.segments: segment file of version 3, which is not known: of a newer warpmeter");
  bytes[0] = 'x';
  EXPECT_EQ(refused_bytes(bytes), "x.segments: not a segment file");
}

TEST(SegmentFile, RefusesHeadersThatMakeNoSense) {
  const auto refused = [](const auto& change) {
    SegmentFileHeader header;
    change(header);
    test::BytesSink sink;
    SegmentFileWriter(header, test::segment_hash_seed(), sink).finish({});
    return refused_bytes(sink.bytes);
  };
  constexpr const char* kWhy = "x.segments: segment file is damaged: its header makes no sense";
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_EQ(refused([](auto& h) { h.partitions = 0; }), kWhy);
  EXPECT_EQ(refused([](auto& h) { h.partitions = 3; }), kWhy);
  EXPECT_EQ(refused([](auto& h) { h.partitions = 128; }), kWhy);
  EXPECT_EQ(refused([](auto& h) { h.partition = 1; }), kWhy);
  EXPECT_EQ(refused([](auto& h) { h.row_frames = kMostRowFrames + 1; }), kWhy);
  Bytes none = test::segment_file({}, {}, {});
  std::fill_n(none.begin() + 12, 4, std::uint8_t{0});
  EXPECT_EQ(refused_bytes(none), kWhy);
}

}  // namespace
}  // namespace warpmeter
