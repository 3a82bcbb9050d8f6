// Files in the order of time: by their first packets, merged where they overlap, whatever their format; where that is
// not wanted, or cannot be.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <random>
#include <thread>

#include "packet/file/trace.h"
#include "support/chunks.h"
#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

using Seconds = std::vector<std::uint32_t>;

class TraceOrderTest : public testing::Test {
 protected:
  // A capture with a packet at each of these times, whose only byte tells the file.
  std::string pcap(const std::string& name, const Seconds& times, const PcapDialect& dialect = {}) {
    PcapFile file(dialect);
    for (const std::uint32_t seconds : times) file.record(seconds, 0, tag(name));
    return folder_.write(name, file.data());
  }
  std::string pcapng(const std::string& name, const Seconds& times) {
    PcapngFile file;
    file.interface(1);
    for (const std::uint32_t seconds : times) file.enhanced(0, std::uint64_t{seconds} * 1'000'000, tag(name));
    return folder_.write(name, file.data());
  }
  static Bytes tag(const std::string& name) { return {static_cast<std::uint8_t>(name.front())}; }

  static std::string tags_of(const TraceContent& content) {
    std::string tags;
    for (const auto& packet : content.packets) tags += static_cast<char>(std::get<4>(packet).at(0));
    return tags;
  }

  // The tags of the packets, the same for all ways of reading.
  std::string read(const std::vector<std::string>& files, FileOrder order = FileOrder::time) {
    std::optional<std::string> tags;
    for (const std::size_t frames : {1, 2, 1000}) {
      for (const std::uint64_t bytes : {1, 40, 0}) {
        for (const unsigned threads : {0, 1, 3}) {
          Trace trace(files, stop_, {.order = order});
          Committer committer(trace);
          const Cut cut{.frames = frames, .bytes = bytes};
          const TraceContent content =
              threads ? read_in_threads(trace, cut, threads, committer) : read_ahead(trace, cut, 5, committer);
          EXPECT_EQ(committer.mistakes, 0);
          if (content.damage.empty()) EXPECT_EQ(content.bytes_read, trace.bytes_in_all());
          EXPECT_EQ(tags.value_or(tags_of(content)), tags_of(content)) << frames << ' ' << bytes << ' ' << threads;
          tags = tags_of(content);
          back_ = trace.time_order().count();
        }
      }
    }
    return *tags;
  }

  const ScratchFolder folder_;
  std::atomic<bool> stop_ = false;
  std::uint64_t back_ = 0;
};

TEST_F(TraceOrderTest, FilesFollowEachOtherByTheirFirstPackets) {
  const std::vector<std::string> files = {pcap("a10", {50, 60}), pcap("b2", {30, 40}), pcap("c1", {10, 20})};
  EXPECT_EQ(read(files), "ccbbaa");
  EXPECT_EQ(back_, 0u);
  EXPECT_EQ(read(files, FileOrder::given), "aabbcc");
  EXPECT_EQ(back_, 2u);
  EXPECT_EQ(read({files[2], files[1], files[0]}, FileOrder::name), "aabbcc");
}

TEST_F(TraceOrderTest, FilesThatOverlapAreMerged) {
  EXPECT_EQ(read({pcap("a", {10, 20, 30, 40}), pcap("b", {15, 25, 35})}), "abababa");
  EXPECT_EQ(read({pcapng("a", {10, 20, 30, 40}), pcap("b", {15, 25, 35})}), "abababa");
  EXPECT_EQ(read({pcap("a", {10, 20, 30, 40}), pcapng("b", {15, 25, 35})}), "abababa");
  EXPECT_EQ(read({pcap("a", {10, 20}), pcap("b", {20, 30, 40}), pcap("c", {40, 50, 51}), pcap("d", {50, 51, 60})}),
            "aabbbccdcdd");
  EXPECT_EQ(back_, 0u);
}

TEST_F(TraceOrderTest, OfPacketsAtOneTimeThoseOfTheEarlierFileComeFirst) {
  EXPECT_EQ(read({pcap("b", {10, 10, 20}), pcap("a", {10, 20, 20})}), "abbaab");
  EXPECT_EQ(read({pcap("b", {10, 20, 20}), pcap("a", {15, 20, 20})}), "babbaa");
}

TEST_F(TraceOrderTest, FileKeepsItsOwnOrder) {
  EXPECT_EQ(read({pcap("a", {10, 50, 30, 80}), pcap("b", {40, 60})}), "abaaba");
  EXPECT_EQ(back_, 0u);
  EXPECT_EQ(read({pcap("a", {10, 50, 30, 20}), pcap("b", {60, 55})}), "aaaabb");
  // 50 s after a packet at 100 s: neither file's order is broken for it.
  EXPECT_EQ(read({pcap("a", {90, 100, 10}), pcap("b", {95, 50})}), "abbaa");
  EXPECT_EQ(back_, 0u);
  EXPECT_EQ(read({pcap("a", {90, 100, 10, 20}), pcap("b", {95, 15})}), "abbaaa");
}

TEST_F(TraceOrderTest, TimeThatRunsBackBetweenFilesIsTold) {
  Trace trace({pcap("a", {100, 110}), pcap("b", {109, 200}), pcap("c", {50})}, stop_);
  Committer committer(trace);
  read_in_threads(trace, {}, 2, committer);
  ASSERT_EQ(trace.time_order().kept().size(), 1u);  // a second is not much
  EXPECT_EQ(trace.time_order().kept()[0].from, folder_.file("b"));
  EXPECT_EQ(trace.time_order().kept()[0].to, folder_.file("c"));
  EXPECT_EQ(trace.time_order().kept()[0].by_ns, 150'000'000'000);
}

TEST_F(TraceOrderTest, FilesWithoutPacketsAndDamagedOnesChangeNoOrder) {
  const std::string none = folder_.write("none", PcapFile().data());
  const std::string cut = folder_.write("cut", PcapFile().record(15, 0, {'x'}).raw({1, 2, 3}).data());
  EXPECT_EQ(read({none, pcap("a", {10, 20}), cut, none, pcap("b", {12})}), "abxa");
  Trace trace({none, pcap("a", {10, 20}), cut}, stop_, {.order = FileOrder::time});
  Committer committer(trace);
  const TraceContent content = read_in_threads(trace, {}, 2, committer);
  ASSERT_EQ(content.damage.size(), 1u);
  EXPECT_EQ(std::get<0>(content.damage[0]), cut);
  EXPECT_EQ(std::get<1>(content.damage[0]), 24 + 17u);
}

TEST_F(TraceOrderTest, PipesComeWhereTheyWereNamed) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string a = pcap("a", {70, 80}), b = pcap("b", {60, 75}), d = pcap("d", {10, 30}), e = pcap("e", {20});
  const std::jthread writer([&] { write_file(pipe, PcapFile().record(5, 0, {'p'}).record(100, 0, {'p'}).data()); });
  Trace trace({a, b, pipe, d, e}, stop_, {.order = FileOrder::time});
  Committer committer(trace);
  EXPECT_EQ(tags_of(read_in_threads(trace, {.frames = 2}, 3, committer)),
            "baba"
            "ppded");
  EXPECT_EQ(trace.time_order().count(), 2u);
}

TEST_F(TraceOrderTest, FileThatIsGoneIsToldAndTheOthersMerged) {
  const std::string gone = pcap("c", {25});
  Trace trace({pcap("a", {10, 20, 30}), pcap("b", {15, 35}), gone}, stop_, {.order = FileOrder::time});
  std::filesystem::remove(gone);
  Committer committer(trace);
  const TraceContent content = read_in_threads(trace, {}, 2, committer);
  EXPECT_EQ(tags_of(content), "abaab");
  EXPECT_EQ(content.unreadable.size(), 1u);
}

// A hundred files, packed ones too, that all overlap.
TEST_F(TraceOrderTest, FewFilesAreOpenHoweverManyOverlap) {
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  constexpr std::uint32_t kFiles = 100, kPackets = 3000;
  const std::vector<Packer> all = packers();
  std::mt19937 random(1);
  std::vector<PcapFile> contents(kFiles);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kFiles * kPackets; ++i) {
    const std::uint32_t file = i < kFiles ? i : random() % kFiles;
    contents[file].record(i, 0, {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)});
  }
  std::vector<std::string> files;
  for (std::uint32_t i = 0; i < kFiles; ++i) {
    const std::size_t packer = i % (2 * all.size() + 1);
    const Bytes plain = contents[i].data();
    files.push_back(folder_.write(std::to_string(i), packer < all.size() ? all[packer].pack(plain) : plain));
  }
  std::shuffle(files.begin(), files.end(), random);
  const auto before = open_files();
  Trace trace(files, stop_, {.order = FileOrder::time});
  TraceChunk chunk;
  FileView view;
  std::uint32_t number = 0, wrong = 0;
  for (; trace.claim(chunk, {.frames = 4096}); chunk.clear()) {
    trace.commit(chunk, view);
    EXPECT_LE(open_files(), before + 2 * static_cast<std::ptrdiff_t>(MergedFiles::kMostOpen));
    while (Trace::read(chunk, view)) {
      for (const Frame& frame : chunk.block.frames) {
        wrong += frame.time_ns != std::int64_t{number} * 1'000'000'000;
        wrong += frame.data[0] != static_cast<std::uint8_t>(number) ||
                 frame.data[1] != static_cast<std::uint8_t>(number >> 8);
        ++number;
      }
    }
  }
  EXPECT_EQ(number, kFiles * kPackets);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(trace.bytes_read(), trace.bytes_in_all());
}

}  // namespace
}  // namespace warpmeter::test
