// Several files as one trace, read in chunks: other formats and pipes between, damage, mistakes, the stop.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "packet/file/trace.h"
#include "support/chunks.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

PcapFile pcap_of(std::uint32_t count, const PcapDialect& dialect = {}) {
  PcapFile file(dialect);
  for (std::uint32_t i = 0; i < count; ++i) file.record(1'700'000'000, i, counting_bytes(i % 100));
  return file;
}

class TraceChunksTest : public testing::Test {
 protected:
  void expect_same(const std::vector<std::string>& files) {
    const TraceContent expected = read_in_order(files);
    for (const std::uint64_t bytes : {100, 1000, 1'000'000}) {
      for (const unsigned threads : {1, 2, 4}) {
        Trace trace(files, stop_);
        Committer committer(trace);
        EXPECT_TRUE(read_in_threads(trace, {.frames = 7, .bytes = bytes}, threads, committer) == expected)
            << bytes << ' ' << threads;
        EXPECT_EQ(committer.mistakes, 0);
      }
    }
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
};

TEST_F(TraceChunksTest, FilesOfAllKindsFollowEachOther) {
  const std::string little = folder_.write("a", pcap_of(300).data());
  const std::string big = folder_.write("b", pcap_of(200, {.order = std::endian::big, .link = 101}).data());
  const std::string nanoseconds = folder_.write("c", pcap_of(200, {.magic = kPcapNanoseconds}).data());
  const std::string modified = folder_.write("d", pcap_of(200, {.magic = kPcapModified}).data());
  const std::string swapped = folder_.write("e", pcap_of(200, {.minor = 2}).data());
  const std::string none = folder_.write("f", PcapFile().data());
  PcapngFile other;
  other.interface(1);
  for (std::uint8_t i = 0; i < 30; ++i) other.enhanced(0, i, {i});
  const std::string pcapng = folder_.write("g", other.data());
  expect_same({little, big, pcapng, nanoseconds, none, modified, pcapng, pcapng, swapped, little});
}

TEST_F(TraceChunksTest, DamageIsToldInOrder) {
  const std::string a = folder_.write("a", pcap_of(100).raw({0}).data());
  const std::string b = folder_.write("b", PcapngFile().interface(1).enhanced(0, 1, {20}).raw({1, 2, 3}).data());
  const std::string c = folder_.write("c", pcap_of(100).header(1, 0, 3 << 20, 1).raw(Bytes(5000)).data());
  expect_same({a, b, c, a, c, b});
}

TEST_F(TraceChunksTest, UnreadableFilesAreTold) {
  const std::string bad = folder_.write("bad", PcapngFile().interface(147).enhanced(0, 1, {1}).data());
  const std::string good = folder_.write("good", pcap_of(50).data());
  expect_same({bad, good, bad});
  const std::string gone = folder_.write("gone", pcap_of(1).data());
  Trace trace({good, gone, good, gone}, stop_);
  std::filesystem::remove(gone);
  Committer committer(trace);
  const TraceContent content = read_in_threads(trace, {}, 2, committer);
  EXPECT_EQ(content.packets.size(), 100u);
  EXPECT_EQ(content.unreadable.size(), 2u);
}

TEST_F(TraceChunksTest, PipesAreReadOnTheWay) {
  const std::string file = folder_.write("file", pcap_of(100).data());
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::jthread writer([&] { write_file(pipe, pcap_of(150).data()); });
  Trace trace({file, pipe, file}, stop_);
  Committer committer(trace);
  const TraceContent content = read_in_threads(trace, {.frames = 40, .bytes = 500}, 3, committer);
  ASSERT_EQ(content.packets.size(), 350u);
  EXPECT_EQ(std::get<4>(content.packets[249]), counting_bytes(49));
  EXPECT_EQ(content.bytes_read, 2 * std::filesystem::file_size(file) + pcap_of(150).size());
}

TEST_F(TraceChunksTest, StopEndsTheTrace) {
  Trace trace({folder_.write("a", pcap_of(200).raw({1}).data())}, stop_);
  TraceChunk first, second, third;
  FileView view;
  EXPECT_TRUE(trace.claim(first, {}, {.bytes = 3000}));
  EXPECT_TRUE(trace.claim(second, {}, {.bytes = 1'000'000}));
  stop_ = true;
  EXPECT_FALSE(trace.claim(third, {}, {.bytes = 3000}));
  for (TraceChunk* chunk : {&first, &second}) {  // what was claimed is finished
    while (Trace::read(*chunk, view)) {
    }
    trace.commit(*chunk, view);
  }
  EXPECT_EQ(trace.frames_read(), 200u);
  EXPECT_TRUE(trace.damage().empty());
}

TEST_F(TraceChunksTest, ProgressFollowsWhatIsCommitted) {
  Trace trace({folder_.write("a", pcap_of(100).data())}, stop_);
  ReadChunk second, first;
  trace.claim(first.chunk, {}, {.bytes = 1000});
  trace.claim(second.chunk, {}, {.bytes = 1'000'000});
  second.read();
  first.read();
  EXPECT_EQ(trace.bytes_read(), 0u);
  trace.commit(first.chunk, first.view);
  EXPECT_GE(trace.bytes_read(), 1000u);
  EXPECT_EQ(trace.frames_read(), first.chunk.frames);
  trace.commit(second.chunk, second.view);
  EXPECT_EQ(second.chunk.first_number, first.chunk.frames + 1);
  EXPECT_EQ(trace.bytes_read(), trace.bytes_in_all());
  EXPECT_EQ(trace.frames_read(), 100u);
}

}  // namespace
}  // namespace warpmeter::test
