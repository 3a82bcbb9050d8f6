// What connections are made of comes out connection by connection, whatever came between, in memory or in a file.
#include "reassemble/stream_spool.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "reassemble/spooled_order.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;
using test::thrown_text;

void put(StreamSpool& spool, std::uint64_t& chain, std::string_view text) {
  spool.begin(chain, text.size());
  spool.write(text.data(), text.size());
}

std::string text_of(const std::vector<std::string_view>& fragments) {
  return std::accumulate(fragments.begin(), fragments.end(), std::string(),
                         [](std::string all, std::string_view one) { return all.append(one); });
}

std::vector<std::string> all_of(const std::vector<std::unique_ptr<StreamSpool>>& spools) {
  SpooledOrder order(spools);
  std::vector<std::string> texts;
  for (std::vector<std::string_view> fragments; order.next(fragments);) texts.push_back(text_of(fragments));
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

TEST(StreamSpool, PutsTogetherWhatFollowsItself) {
  const auto spools = spools_of(1, "/no/such/folder", {});
  std::uint64_t a = 0;
  put(*spools[0], a, "one ");
  put(*spools[0], a, "two");
  spools[0]->begin_apart(a, 5);
  spools[0]->write("three", 5);
  spools[0]->end(1, a);
  spools[0]->finish();
  std::vector<std::string_view> fragments;
  spools[0]->fragments_of(a, fragments);
  EXPECT_EQ(fragments, (std::vector<std::string_view>{"one two", "three"}));
}

// Against texts that are kept one by one; buffers and indexes so small that most lies in files.
TEST(StreamSpool, HoldsWhatIsMuchLargerThanItsBuffer) {
  const ScratchFolder scratch;
  std::minstd_rand random(7);
  for (const std::size_t buffer : {40u, 64u, 1000u, 100000u}) {
    const auto spools = spools_of(3, scratch.path(), {.buffer = buffer, .indexed = 5});
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

TEST(StreamSpool, NamesTheFolderWhereItFindsNoRoom) {
  StreamSpool spool("/no/such/folder", {.buffer = 100});
  std::uint64_t chain = 0;
  const std::string text(200, 'x');
  EXPECT_NE(thrown_text([&] { put(spool, chain, text); }).find("/no/such/folder: cannot create a run file"),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
