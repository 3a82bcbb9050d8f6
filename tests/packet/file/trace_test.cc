// Several files as one trace: numbers, order, damage in the middle, mistakes that show at once.
#include "packet/file/trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

// Frames of one byte: `first`, `first` + 1, ...
PcapFile pcap_of(std::uint8_t first, std::uint8_t count) {
  PcapFile file;
  for (std::uint8_t i = 0; i < count; ++i) file.record(1, 0, {static_cast<std::uint8_t>(first + i)});
  return file;
}

class TraceTest : public testing::Test {
 protected:
  // The first bytes of the frames of the next chunk, to which `frames` are wanted; nothing at the end.
  static std::optional<Bytes> next(Trace& trace, std::size_t frames) {
    TraceChunk chunk;
    FileView view;
    if (!trace.claim(chunk, {.frames = frames})) return std::nullopt;
    const std::uint64_t before = trace.frames_read();
    Bytes firsts;
    while (Trace::read(chunk, view)) {
      for (const ReadFrame& frame : copy_frames(chunk.block)) firsts.push_back(frame.bytes.at(0));
    }
    trace.commit(chunk, view);
    EXPECT_EQ(chunk.first_number, before + 1);
    EXPECT_EQ(trace.frames_read(), before + firsts.size());
    return firsts;
  }

  static Bytes all_frames(Trace& trace, std::size_t frames) {
    Bytes firsts;
    while (const auto chunk = next(trace, frames)) firsts.insert(firsts.end(), chunk->begin(), chunk->end());
    EXPECT_EQ(trace.frames_read(), firsts.size());
    return firsts;
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
};

TEST_F(TraceTest, FilesFollowEachOtherInTheGivenOrder) {
  const std::string a = folder_.write("a", pcap_of(10, 3).data());
  const std::string b = folder_.write("b", PcapngFile().interface(1).enhanced(0, 1, {20}).data());
  Trace trace({b, a, b}, stop_);
  EXPECT_EQ(all_frames(trace, 100), (Bytes{20, 10, 11, 12, 20}));
  EXPECT_TRUE(trace.damage().empty());
  EXPECT_TRUE(trace.unreadable().empty());
}

TEST_F(TraceTest, AnySizeOfChunksGivesTheSameFrames) {
  const std::string a = folder_.write("a", pcap_of(1, 5).data());
  const std::string b = folder_.write("b", pcap_of(6, 5).data());
  for (std::size_t limit = 1; limit <= 11; ++limit) {
    Trace trace({a, b}, stop_);
    EXPECT_EQ(all_frames(trace, limit), (Bytes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})) << limit;
  }
}

TEST_F(TraceTest, DamageEndsItsFileAndNotTheTrace) {
  const std::string a = folder_.write("a", pcap_of(1, 2).raw({0}).data());
  const std::string b = folder_.write("b", pcap_of(3, 2).header(1, 0, 3 << 20, 1).data());
  const std::string c = folder_.write("c", pcap_of(5, 1).data());
  Trace trace({a, b, c}, stop_);
  EXPECT_EQ(all_frames(trace, 100), (Bytes{1, 2, 3, 4, 5}));
  ASSERT_EQ(trace.damage().size(), 2u);
  EXPECT_EQ(trace.damage()[0].file, a);
  EXPECT_EQ(trace.damage()[0].offset, 58u);
  EXPECT_EQ(trace.damage()[1].file, b);
  EXPECT_EQ(trace.damage()[1].reason, "captured length 3145728");
  EXPECT_FALSE(trace.nothing_readable());
}

TEST_F(TraceTest, ProgressIsInBytesOfAllFiles) {
  const std::string a = folder_.write("a", pcap_of(1, 2).data());
  const std::string b = folder_.write("b", pcap_of(3, 1).data());
  Trace trace({a, b}, stop_);
  EXPECT_EQ(trace.bytes_in_all(), 24 + 2 * 17 + 24 + 17u);
  EXPECT_EQ(trace.bytes_read(), 0u);
  EXPECT_EQ(next(trace, 1), Bytes{1});
  EXPECT_EQ(trace.bytes_read(), 24 + 17u);
  while (next(trace, 2)) {
  }
  EXPECT_EQ(trace.frames_read(), 3u);
  EXPECT_EQ(trace.bytes_read(), trace.bytes_in_all());
}

TEST_F(TraceTest, MistakesShowBeforeTheWorkBegins) {
  const std::string good = folder_.write("good", pcap_of(1, 1).data());
  const std::string unknown_link = folder_.write("link", PcapFile({.link = 147}).data());
  const std::string empty = folder_.write("empty", {});
  const std::string text = folder_.write("text", Bytes(100, 'x'));
  for (const std::string& bad : {folder_.file("none"), unknown_link, empty, text, folder_.path()}) {
    EXPECT_THROW(Trace({bad}, stop_), Error) << bad;
    Trace trace({bad, good}, stop_);
    EXPECT_EQ(trace.unreadable().size(), 1u) << bad;
    EXPECT_EQ(all_frames(trace, 100), Bytes{1}) << bad;
    EXPECT_FALSE(trace.nothing_readable());
  }
  try {
    Trace trace({unknown_link, empty}, stop_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(),
              unknown_link + ": link type 147 (USER0) is not supported; " + empty + ": the file is empty");
  }
}

TEST_F(TraceTest, FileOfUnknownInterfacesOnlyIsUnreadable) {
  const std::string none = folder_.write("none", PcapngFile().interface(147).data());
  const std::string bad = folder_.write("bad", PcapngFile().interface(147).enhanced(0, 1, {9}).data());
  const std::string good = folder_.write("good", pcap_of(1, 1).data());
  Trace mixed({bad, none, good}, stop_);
  EXPECT_EQ(all_frames(mixed, 100), (Bytes{9, 1}));  // numbered, and not decoded
  EXPECT_EQ(mixed.unreadable().size(), 2u);
  EXPECT_FALSE(mixed.nothing_readable());
  EXPECT_THROW(Trace({none}, stop_), Error);
  Trace alone({bad}, stop_);
  EXPECT_EQ(all_frames(alone, 100), Bytes{9});
  EXPECT_TRUE(alone.nothing_readable());
}

TEST_F(TraceTest, StopEndsTheTrace) {
  Trace trace({folder_.write("a", pcap_of(1, 9).data())}, stop_);
  EXPECT_TRUE(next(trace, 4));
  stop_ = true;
  EXPECT_FALSE(next(trace, 4));
  EXPECT_TRUE(trace.damage().empty());
}

TEST_F(TraceTest, EmptyFilesInBetweenChangeNothing) {
  const std::string a = folder_.write("a", pcap_of(1, 1).data());
  const std::string none = folder_.write("none", PcapFile().data());
  Trace trace({none, a, none, none, a}, stop_);
  EXPECT_EQ(all_frames(trace, 1), (Bytes{1, 1}));
}

// However many files there are, few are open at once, packed ones too.
TEST_F(TraceTest, FewFilesAreOpenAtOnce) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  std::vector<std::string> files;
  Bytes firsts;
  const std::vector<Packer> all = packers();
  for (std::uint8_t i = 0; i < 60; ++i) {
    const Bytes plain = pcap_of(i, 1).data();
    const std::size_t packer = i % (all.size() + 1);
    files.push_back(folder_.write(std::to_string(i), packer == all.size() ? plain : all[packer].pack(plain)));
    firsts.push_back(i);
  }
  const auto before = open_files();
  Trace trace(files, stop_);
  EXPECT_EQ(open_files(), before);
  Bytes read;
  while (const auto chunk = next(trace, 1)) {
    EXPECT_LE(open_files(), before + 2 * static_cast<std::ptrdiff_t>(OpenAhead::kAhead + 2));
    read.insert(read.end(), chunk->begin(), chunk->end());
  }
  EXPECT_EQ(read, firsts);
  EXPECT_EQ(trace.bytes_read(), trace.bytes_in_all());
}

}  // namespace
}  // namespace warpmeter::test
