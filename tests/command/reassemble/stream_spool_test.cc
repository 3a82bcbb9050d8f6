// A file is read through few pages, in whatever order, as it is; and what connections are made of comes out connection
// by connection, whatever came between, in memory or in a file.
#include "command/reassemble/stream_spool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "support/scratch_folder.h"
#include "support/text_sink.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;
using test::TextSink;
using test::thrown_text;

TEST(SpoolWindow, ReadsHereAndThere) {
  const test::ScratchFolder scratch;
  std::minstd_rand random(3);
  std::string wanted(1'000'003, ' ');
  for (char& byte : wanted) byte = static_cast<char>(random());
  TempFile file(scratch.path());
  file.write(wanted.data(), wanted.size(), 0);
  SpoolWindow window(file, wanted.size());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t most = i % 100 == 0 ? wanted.size() : i % 10 == 0 ? 20'000 : 100;
    const std::size_t place = i == 0 ? 0 : random() % wanted.size();
    const std::size_t bytes = random() % std::min(most, wanted.size() - place + 1);
    std::string got(bytes, ' ');
    window.read(got.data(), bytes, place);
    ASSERT_TRUE(got == wanted.substr(place, bytes)) << bytes << " bytes at " << place;
    TextSink copied;
    window.copy(place, bytes, copied);
    ASSERT_TRUE(copied.text == got) << bytes << " bytes at " << place;
    ASSERT_LE(copied.largest, 64u << 10);
  }
}

TEST(SpoolWindow, SaysWhenTheFileHasBecomeShorter) {
  const test::ScratchFolder scratch;
  TempFile file(scratch.path());
  file.write("some", 4, 0);
  SpoolWindow window(file, 10'000);
  char got[8];
  EXPECT_EQ(test::thrown_text([&] { window.read(got, sizeof got, 0); }), "a run file has become shorter");
  EXPECT_EQ(test::thrown_text([&] { window.read(got, sizeof got, 0); }), "a run file has become shorter");
}

void put(StreamSpool& spool, std::uint64_t& chain, std::string_view text) {
  spool.begin(chain, text.size());
  spool.write(text.data(), text.size());
}

std::vector<std::string> all_of(const std::vector<std::unique_ptr<StreamSpool>>& spools) {
  SpooledOrder order(spools);
  std::vector<std::string> texts;
  for (SpooledOrder::Next next; order.next(next);) {
    TextSink text;
    next.spool->give(next.chain, text);
    texts.push_back(text.text);
  }
  return texts;
}

std::vector<std::unique_ptr<StreamSpool>> spools_of(std::size_t count, const std::string& folder, SpoolLimits limits) {
  std::vector<std::unique_ptr<StreamSpool>> spools;
  for (std::size_t i = 0; i < count; ++i) spools.push_back(std::make_unique<StreamSpool>(folder, limits));
  return spools;
}

TEST(StreamSpool, GivesConnectionsByTheirNumbers) {
  const auto spools = spools_of(2, "/no/such/folder", {});
  std::uint64_t a = 0, b = 0, c = 0;
  put(*spools[0], a, "one ");
  put(*spools[0], b, "zwei ");
  put(*spools[1], c, "trois");
  put(*spools[0], a, "two");
  put(*spools[0], b, "drei");
  spools[0]->end(20, a);
  spools[0]->end(10, b);
  spools[1]->end(15, c);
  spools[1]->end(7, 0);
  for (const auto& spool : spools) spool->finish();
  EXPECT_EQ(all_of(spools), (std::vector<std::string>{"", "zwei drei", "trois", "one two"}));
}

TEST(StreamSpool, GivesTheLastFragmentByItself) {
  const ScratchFolder scratch;
  for (const std::size_t buffer : {40u, 1000u}) {
    StreamSpool spool(scratch.path(), {.buffer = buffer});
    std::uint64_t a = 0;
    put(spool, a, "one ");
    put(spool, a, "two");
    spool.begin_apart(a, 5);
    spool.write("three", 5);
    spool.end(1, a);
    spool.finish();
    TextSink last, rest;
    spool.give(spool.give_last(a, last), rest);
    EXPECT_EQ(last.text, "three");
    EXPECT_EQ(rest.text, "one two");
  }
}

// Against texts that are kept one by one; buffers and indexes so small that most lies in files.
TEST(StreamSpool, HoldsWhatIsMuchLargerThanItsBuffer) {
  const ScratchFolder scratch;
  std::minstd_rand random(7);
  for (const std::size_t buffer : {40u, 64u, 1000u, 100000u}) {
    const auto spools = spools_of(3, scratch.path(), {.buffer = buffer, .indexed = 5, .listed = 3});
    struct Open {
      std::size_t spool;
      std::uint64_t chain = 0;
    };
    std::map<std::uint64_t, std::string> wanted;
    std::map<std::uint64_t, Open> open;
    std::uint64_t next = 1;
    for (int step = 0; step < 3000; ++step) {
      if (open.size() < 10) {
        wanted[next];
        open[next++] = {random() % spools.size()};
      }
      auto at = std::next(open.begin(), random() % open.size());
      const std::string text(random() % (step % 50 == 0 ? 500 : 30), static_cast<char>('a' + random() % 26));
      put(*spools[at->second.spool], at->second.chain, text);
      wanted[at->first] += text;
      if (random() % 4 > 0) continue;
      spools[at->second.spool]->end(at->first, at->second.chain);
      open.erase(at);
    }
    for (const auto& [number, one] : open) spools[one.spool]->end(number, one.chain);
    for (const auto& spool : spools) spool->finish();
    const std::vector<std::string> got = all_of(spools);
    ASSERT_EQ(got.size(), wanted.size());
    std::size_t i = 0;
    for (const auto& [number, text] : wanted) EXPECT_EQ(got[i++], text) << number << ", buffer of " << buffer;
  }
  EXPECT_EQ(scratch.entries(), 0u);
}

// Larger than the pages that are in memory, so that these are used for others again and again; read in order and not.
TEST(StreamSpool, ReadsAFileThatIsLargerThanItsWindow) {
  const ScratchFolder scratch;
  const auto spools = spools_of(1, scratch.path(), {.buffer = 3000, .indexed = 100});
  constexpr std::size_t kConnections = 300;
  std::vector<std::uint64_t> chains(kConnections);
  std::vector<std::string> wanted(kConnections);
  std::minstd_rand random(11);
  for (std::size_t i = 0; i < 6 * kConnections; ++i) {
    const std::size_t one = i * 7 % kConnections, size = random() % 100 == 0 ? 200'000 : random() % 2000;
    const std::string text(size, static_cast<char>('a' + random() % 26));
    put(*spools[0], chains[one], text);
    wanted[one] += text;
  }
  for (std::size_t i = 0; i < kConnections; ++i) spools[0]->end(i, chains[i]);
  spools[0]->finish();
  EXPECT_EQ(all_of(spools), wanted);
  TextSink large;
  for (const std::uint64_t chain : chains) spools[0]->give(chain, large);
  EXPECT_LE(large.largest, 64u << 10) << "so much of the file was in memory at once";
}

TEST(StreamSpool, NamesTheFolderWhereItFindsNoRoom) {
  StreamSpool spool("/no/such/folder", {.buffer = 100});
  std::uint64_t chain = 0;
  const std::string text(200, 'x');
  EXPECT_NE(thrown_text([&] { put(spool, chain, text); }).find("/no/such/folder: cannot create a run file"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
