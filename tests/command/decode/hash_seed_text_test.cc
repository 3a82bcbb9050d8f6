// --hash-seed: words from any text, and marks that tell seeds apart.
#include "command/decode/decode_captures.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warpmeter {
namespace {

TEST(HashSeedText, SameTextIsTheSameSeed) {
  EXPECT_EQ(hash_seed_of("correct horse"), hash_seed_of(std::string("correct horse")));
  EXPECT_EQ(mark_of(hash_seed_of("correct horse")), mark_of(hash_seed_of("correct horse")));
}

// Sets that are metered together may be of different versions of the program, if these write the same version of
// segment files.
TEST(HashSeedText, StaysTheSameFromVersionToVersion) {
  EXPECT_EQ(hash_seed_of("warpmeter").word[0], 9625887503889577847u);
  EXPECT_EQ(mark_of(hash_seed_of("warpmeter")), 4388625741055727673u);
}

TEST(HashSeedText, EachWordDependsOnAllOfTheText) {
  std::set<std::uint64_t> words, marks;
  const std::string text = "a rather long text, such as nobody would guess";
  std::size_t seeds = 0;
  const auto add = [&](const std::string& changed) {
    const HashSeed seed = hash_seed_of(changed);
    words.insert(std::begin(seed.word), std::end(seed.word));
    marks.insert(mark_of(seed));
    ++seeds;
  };
  add(text);
  add("");
  add(std::string(1, '\0'));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    add(changed);
    add(text.substr(0, i + 1) + " ");
  }
  EXPECT_EQ(words.size(), seeds * HashSeed::kWords);
  EXPECT_EQ(marks.size(), seeds);
}

}  // namespace
}  // namespace warpmeter
