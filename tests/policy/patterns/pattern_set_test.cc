// Matches end where Python's `re` says, however a text is cut, and whether it begins with its stream or not.
#include "policy/patterns/pattern_set.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "support/source_folder.h"

namespace warpmeter {
namespace {

using Ends = std::map<std::size_t, std::set<std::uint64_t>>;  // by the place of the pattern

std::span<const std::uint8_t> bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::string> cut(const std::string& text, std::mt19937& random) {
  std::vector<std::string> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = random() % 5;  // also none
    pieces.push_back(text.substr(at, size));
    at += pieces.back().size();
  }
  return pieces;
}

// Each end must lie in the piece that was scanned when it was told.
Ends scan(PatternStream& stream, PatternScratch& scratch, const std::vector<std::string>& pieces) {
  Ends ends;
  std::size_t before = 0;
  for (const std::string& piece : pieces) {
    PatternSearch(scratch).stream(stream, bytes(piece), [&](unsigned place, std::uint64_t end) {
      EXPECT_GT(end, before);
      EXPECT_LE(end, before + piece.size());
      ends[place].insert(end);
    });
    before += piece.size();
  }
  return ends;
}

Ends scan(const std::vector<std::string>& patterns, TextStart start, const std::vector<std::string>& pieces) {
  const PatternSet set(patterns, PatternMode::stream);
  PatternScratch scratch;
  scratch.prepare(set);
  PatternStream stream(set, start);
  return scan(stream, scratch, pieces);
}

std::set<unsigned> found_in(const std::vector<std::string>& patterns, const std::string& payload) {
  const PatternSet set(patterns, PatternMode::block);
  PatternScratch scratch;
  scratch.prepare(set);
  std::set<unsigned> found;
  PatternSearch(scratch).block(set, bytes(payload), [&](unsigned place, std::uint64_t) {
    EXPECT_TRUE(found.insert(place).second) << "told twice";
    return true;
  });
  return found;
}

std::string refusal(const std::vector<std::string>& patterns, PatternMode mode = PatternMode::stream) {
  try {
    const PatternSet set(patterns, mode);
  } catch (const PatternError& error) {
    return std::to_string(static_cast<int>(error.place())) + ": " + error.what();
  }
  return "";
}

TEST(PatternSet, FindsPatternsOfPayload) {
  EXPECT_EQ(found_in({"evil", "a.b", "^x", "b$"}, "evil a\nb"), (std::set<unsigned>{0, 1, 3}));
  EXPECT_EQ(found_in({"evil"}, "ev"), (std::set<unsigned>{}));
  EXPECT_EQ(found_in({"evil"}, ""), (std::set<unsigned>{}));
  EXPECT_EQ(found_in({"\xff\\x00"}, std::string("\xff\0", 2)), (std::set<unsigned>{0}));
  EXPECT_EQ(found_in({}, "evil"), (std::set<unsigned>{}));
}

TEST(PatternSet, SearchOfPayloadEndsWhereItIsTold) {
  const PatternSet set({"a", "b"}, PatternMode::block);
  PatternScratch scratch;
  scratch.prepare(set);
  int told = 0;
  PatternSearch(scratch).block(set, bytes("ab"), [&told](unsigned, std::uint64_t) { return ++told, false; });
  EXPECT_EQ(told, 1);
}

TEST(PatternSet, StreamGoesOnOverPieces) {
  EXPECT_EQ(scan({"evil"}, TextStart::stream, {"ev", "", "il", "evil"}), (Ends{{0, {4, 8}}}));
  EXPECT_EQ(scan({"ab*"}, TextStart::stream, {"a", "b", "b"}), (Ends{{0, {1, 2, 3}}}));
}

TEST(PatternSet, BeginningIsThatOfTheStreamAlone) {
  EXPECT_EQ(scan({"^GET", "x"}, TextStart::stream, {"GE", "T"}), (Ends{{0, {3}}}));
  EXPECT_EQ(scan({"^GET", "x"}, TextStart::stream, {"xGET"}), (Ends{{1, {1}}}));
  EXPECT_EQ(scan({"^GET", "x"}, TextStart::inside, {"GETx"}), (Ends{{1, {4}}}));
  EXPECT_EQ(scan({"^GET", "^x"}, TextStart::inside, {"GETx"}), Ends{});
  EXPECT_EQ(scan({"^q", "(?:^|,)b"}, TextStart::inside, {"b,b"}), (Ends{{1, {3}}}));
  EXPECT_EQ(scan({"(?:^|x\\b)y", "b"}, TextStart::inside, {"yxyb"}), (Ends{{1, {4}}}))
      << "of the first nothing can match";
}

TEST(PatternSet, WordMayBeginWithTheText) {
  for (const TextStart start : {TextStart::stream, TextStart::inside}) {
    EXPECT_EQ(scan({"\\bab", "^q"}, start, {"ab", "ab ab"}), (Ends{{0, {2, 7}}}));
  }
}

TEST(PatternSet, RestartForgetsWhatWasSeen) {
  const PatternSet set({"^ab", "cd"}, PatternMode::stream);
  PatternScratch scratch;
  scratch.prepare(set);
  PatternStream stream(set, TextStart::stream);
  scan(stream, scratch, {"ac"});
  stream.restart(set, TextStart::stream);
  EXPECT_EQ(scan(stream, scratch, {"dab"}), Ends{});
  stream.restart(set, TextStart::stream);
  EXPECT_EQ(scan(stream, scratch, {"abcd"}), (Ends{{0, {2}}, {1, {4}}}));
  stream.restart(set, TextStart::inside);
  EXPECT_EQ(scan(stream, scratch, {"abcd"}), (Ends{{1, {4}}}));
  stream.restart(set, TextStart::stream);
  EXPECT_EQ(scan(stream, scratch, {"ab"}), (Ends{{0, {2}}}));
}

// With so many, one more is searched for, of which nobody learns.
TEST(PatternSet, ManyPatternsOfAStreamAreFoundAndNothingElse) {
  std::mt19937 random(3);
  std::vector<std::string> patterns;
  for (int i = 1000; i < 1300; ++i) patterns.push_back("pattern-" + std::to_string(i) + "[a-c]{2,4}end");
  std::string text = "\xfe\xf1\xc0 pattern-1000aend \xfe\xf1\xc0";
  Ends expected;
  for (const unsigned place : {0u, 7u, 127u, 128u, 299u, 7u}) {
    text += "pattern-" + std::to_string(1000 + place) + "abcend\xfe\xf1\xc0";
    expected[place].insert(text.size() - 3);
  }
  for (const TextStart start : {TextStart::stream, TextStart::inside}) {
    EXPECT_EQ(scan(patterns, start, {text}), expected);
    EXPECT_EQ(scan(patterns, start, cut(text, random)), expected);
  }
}

TEST(PatternSet, KnowsItsSizes) {
  const PatternSet block({"abc"}, PatternMode::block), stream({"abc"}, PatternMode::stream),
      two({"^abc", "d"}, PatternMode::stream), never({"^abc"}, PatternMode::stream), none({}, PatternMode::stream);
  EXPECT_GT(block.database_bytes(), 0u);
  EXPECT_EQ(block.stream_bytes(TextStart::stream), 0u);
  EXPECT_GT(stream.stream_bytes(TextStart::stream), 0u);
  EXPECT_EQ(stream.stream_bytes(TextStart::inside), stream.stream_bytes(TextStart::stream));
  EXPECT_GT(two.stream_bytes(TextStart::inside), 0u);
  EXPECT_EQ(never.stream_bytes(TextStart::inside), 0u);
  EXPECT_EQ(none.database_bytes(), 0u);
  EXPECT_EQ(two.size(), 2u);
}

TEST(PatternSet, NamesWhatIsRefused) {
  EXPECT_EQ(refusal({"a", "b(?=c)"}), "1: not streamable");
  for (const char* pattern : {"", "a*", "(a|b?)", "a{0,3}", "\\b", "(?i:a?)"}) {
    EXPECT_EQ(refusal({"a", pattern}), "1: matches the empty string") << pattern;
    EXPECT_EQ(refusal({pattern}, PatternMode::block), "0: matches the empty string") << pattern;
  }
  EXPECT_EQ(refusal({"a", "b", "x$"}), "2: a stream has no end that $ could stand for");
  EXPECT_EQ(refusal({"x$"}, PatternMode::block), "");
  const std::string unknown = "0: what follows decides whether it matches, which a stream does not know yet";
  EXPECT_EQ(refusal({"foo\\b"}), unknown);
  EXPECT_EQ(refusal({"(foo\\B|bar)x*"}), unknown);
  EXPECT_EQ(refusal({"foo\\b"}, PatternMode::block), "");
  EXPECT_EQ(refusal({"foo\\b."}), "");
  EXPECT_EQ(refusal({"a", "fo\\bo"}), "1: it can never match");
  EXPECT_EQ(refusal({"a", "b**"}), "1: Invalid repeat at index 2");
  EXPECT_EQ(refusal({"a", "b{30000}"}), "1: Resource limit exceeded");
  EXPECT_EQ(refusal({std::string("a\0b", 3)}), "0: a byte of 0 is written as \\x00");
}

struct Close {
  void operator()(FILE* file) const { pclose(file); }
};

// The lines that tests/reference/pattern_ends.py prints; none: there is no Python.
std::istringstream ends_by_python(int seed, int sets) {
  const std::string command = "python3 " + test::source_folder() + "/tests/reference/pattern_ends.py " +
                              std::to_string(seed) + " " + std::to_string(sets);
  const std::unique_ptr<FILE, Close> python(popen(command.c_str(), "r"));
  std::string text;
  char part[4096];
  while (const std::size_t got = fread(part, 1, sizeof part, python.get())) text.append(part, got);
  return std::istringstream(text);
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

std::set<std::uint64_t> read_ends(const std::string& words) {
  std::set<std::uint64_t> ends;
  std::istringstream in(words);
  for (std::string word; std::getline(in, word, ',');) {
    if (word != "-") ends.insert(std::stoull(word));
  }
  return ends;
}

TEST(PatternSet, EndsAreThoseOfPython) {
#ifdef WARPMETER_LONG
  constexpr int kSets = 2000;
#else
  constexpr int kSets = 70;
#endif
  constexpr int kPatternsOfASet = 6;
  std::mt19937 random(7);
  std::istringstream lines = ends_by_python(1, kSets);
  std::string digits;
  if (!(lines >> digits)) GTEST_SKIP() << "a machine with python3 runs this";
  int compared = 0, inside_differs = 0;
  do {
    const std::string text = from_hex(digits);
    std::vector<std::string> patterns;
    Ends wanted[2];
    for (int i = 0; i < kPatternsOfASet; ++i) {
      std::string pattern, ends, inside;
      ASSERT_TRUE(lines >> pattern >> ends >> inside);
      if (!refusal({from_hex(pattern)}).empty()) continue;  // what Python takes and this does not
      inside_differs += ends != inside;
      if (ends != "-") wanted[0][patterns.size()] = read_ends(ends);
      if (inside != "-") wanted[1][patterns.size()] = read_ends(inside);
      patterns.push_back(from_hex(pattern));
      ++compared;
    }
    EXPECT_EQ(scan(patterns, TextStart::stream, cut(text, random)), wanted[0]) << testing::PrintToString(patterns);
    EXPECT_EQ(scan(patterns, TextStart::inside, cut(text, random)), wanted[1]) << testing::PrintToString(patterns);
  } while (lines >> digits);
  EXPECT_GT(compared, kSets * 4);
  EXPECT_GT(inside_differs, kSets / 10);
}

}  // namespace
}  // namespace warpmeter
