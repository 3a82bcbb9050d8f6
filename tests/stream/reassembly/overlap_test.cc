// Which copy of a byte is kept, under each policy: what is published, and each relation of two segments.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_hash.h"
#include "stream/reassembly/reassembler.h"
#include "support/stream_segments.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using enum OverlapPolicy;

// Letters, the first of them with this number. That of the SYN is 0.
struct Letters {
  std::int64_t number;
  std::string_view text;
};

struct Result {
  std::string stream;  // from offset 0; what was given up is a dot
  StreamCounters counters;

  std::string counted() const {
    std::string text;
#define WARPMETER_ONE(name) text += #name " " + std::to_string(counters.name) + ", ";
    WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
    return text;
  }
};

class Bytes : public StreamConsumer {
 public:
  void take(TcpConnection&, const StreamBlock& block) override {
    for (const SubBlock& sub_block : block.sub_blocks) {
      result.stream.append(sub_block.gap, '.');
      for (const StreamPiece& piece : sub_block.pieces) result.stream.append(piece.begin(), piece.end());
    }
  }
  void ended(TcpConnection&, const ConnectionReport& report) override {
    result.counters = report.directions[0].counters;
  }

  Result result;
};

Result reassembled(const ReassemblerOptions& options, std::uint32_t isn, const std::vector<Letters>& segments) {
  Bytes bytes;
  Reassembler reassembler(options, bytes);
  std::uint64_t packet = 0;
  const auto give = [&](std::uint8_t flags, std::int64_t number, std::string_view text) {
    const std::span captured(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    reassembler.take(test::stream_segment(1, 2, flags, isn + static_cast<std::uint32_t>(number), 0,
                                          static_cast<std::uint32_t>(text.size()), captured, 0),
                     ++packet);
  };
  give(kSyn, 0, "");
  for (const Letters& letters : segments) give(kAck, letters.number, letters.text);
  reassembler.end_all(0);
  return bytes.result;
}

Result reassembled(OverlapPolicy policy, const std::vector<Letters>& segments, std::uint32_t isn = 0) {
  ReassemblerOptions options;
  options.overlap = policy;
  options.gap_packets = 100;
  return reassembled(options, isn, segments);
}

constexpr OverlapPolicy kPolicies[] = {first, last, bsd, linux_, windows};
constexpr const char* kNames[] = {"first", "last", "bsd", "linux", "windows"};

struct Vector {
  const char* name;
  std::vector<Letters> segments;
  std::string_view expected[std::size(kPolicies)];  // as they are there
};

// The segments of Novak and Sturges, "Target-Based TCP Stream Reassembly" (2007), as tests of Suricata have them
// (src/tests/stream-tcp-list.c in github.com/OISF/suricata), with what these expect of Vista (whose policy is `first`),
// LAST, BSD and LINUX. There is none of WINDOWS, which has the rules of BSD there as in Snort 3.
const std::vector<Vector> kPublished = {
    {"all",
     {{2, "AAA"},
      {6, "BB"},
      {8, "CCC"},
      {12, "D"},
      {15, "EE"},
      {17, "FFF"},
      {20, "GG"},
      {22, "HH"},
      {24, "I"},
      {3, "JJJJ"},
      {8, "KKK"},
      {11, "LLL"},
      {14, "MMM"},
      {18, "N"},
      {21, "O"},
      {22, "P"},
      {24, "QQ"},
      {1, "0"}},
     {"0AAAJBBCCCLDLMEEFFFGGHHIQ", "0AJJJJBKKKLLLMMMFNFGOPHQQ", "0AAAJJBCCCLLLMMMFFFGGHHIQ",
      "0AAAJJBCCCLLLMMMFFFGGHHQQ", "0AAAJJBCCCLLLMMMFFFGGHHIQ"}},
    {"before",
     {{3, "B"}, {9, "D"}, {12, "EE"}, {2, "AA"}, {1, "JJJJ"}, {8, "LLL"}, {11, "MMM"}},
     {"JABJ...LDLMEE", "JJJJ...LLLMMM", "JJJJ...LLLMMM", "JJJJ...LLLMMM", "JJJJ...LLLMMM"}},
    {"same",
     {{1, "CCC"}, {15, "HH"}, {17, "II"}, {1, "KKK"}, {1, "LLLL"}, {15, "P"}, {15, "QQ"}},
     {"CCCL..........HHII", "LLLL..........QQII", "CCCL..........HHII", "LLLL..........HHII", "CCCL..........HHII"}},
    {"after",
     {{1, "AA"}, {16, "FFF"}, {19, "GG"}, {2, "JJ"}, {20, "O"}, {17, "N"}},
     {"AAJ............FFFGG", "AJJ............FNFGO", "AAJ............FFFGG", "AAJ............FFFGG",
      "AAJ............FFFGG"}},
    // Of this one there is what BSD does.
    {"several at once",
     {{11, "AAAAAAAAAA"},
      {21, "BBBBBBBBBB"},
      {41, "CCCCCCCCCC"},
      {6, "aaaaaaaaaaaaaaaaaaaa"},
      {1, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}},
     {"", "", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "",
      "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}},
};

TEST(Overlap, IsDecidedAsPublished) {
  for (const std::uint32_t isn : {0u, 1u, UINT32_MAX, UINT32_MAX - 10}) {
    for (const Vector& vector : kPublished) {
      for (std::size_t i = 0; i < std::size(kPolicies); ++i) {
        if (vector.expected[i].empty()) continue;
        EXPECT_EQ(reassembled(kPolicies[i], vector.segments, isn).stream, vector.expected[i])
            << vector.name << ", " << kNames[i] << ", ISN " << isn;
      }
    }
  }
}

// An older segment from 10 to 15, then a newer one; a byte before it is missing, and one behind it.
TEST(Overlap, DependsOnStartsAndEnds) {
  struct Relation {
    std::int64_t start, end;
    std::string_view expected[std::size(kPolicies)];
  };
  const Relation relations[] = {
      {8, 13, {"nnoooooo", "nnnnnooo", "nnnnnooo", "nnnnnooo", "nnnnnooo"}},
      {8, 16, {"nnoooooo", "nnnnnnnn", "nnnnnnnn", "nnnnnnnn", "nnnnnnnn"}},
      {8, 18, {"nnoooooonn", "nnnnnnnnnn", "nnnnnnnnnn", "nnnnnnnnnn", "nnnnnnnnnn"}},
      {10, 13, {"oooooo", "nnnooo", "oooooo", "oooooo", "oooooo"}},
      {10, 16, {"oooooo", "nnnnnn", "oooooo", "oooooo", "oooooo"}},
      {10, 18, {"oooooonn", "nnnnnnnn", "oooooonn", "nnnnnnnn", "oooooonn"}},
      {12, 14, {"oooooo", "oonnoo", "oooooo", "oooooo", "oooooo"}},
      {12, 16, {"oooooo", "oonnnn", "oooooo", "oooooo", "oooooo"}},
      {12, 18, {"oooooonn", "oonnnnnn", "oooooonn", "oooooonn", "oooooonn"}},
  };
  for (const Relation& relation : relations) {
    const std::string newer(static_cast<std::size_t>(relation.end - relation.start), 'n');
    for (std::size_t i = 0; i < std::size(kPolicies); ++i) {
      const Result result = reassembled(kPolicies[i], {{10, "oooooo"}, {relation.start, newer}, {19, "behind"}});
      const std::int64_t begin = std::min<std::int64_t>(relation.start, 10);
      const std::string gap(static_cast<std::size_t>(begin - 1), '.');
      const std::string behind(static_cast<std::size_t>(19 - std::max<std::int64_t>(relation.end, 16)), '.');
      EXPECT_EQ(result.stream, gap + std::string(relation.expected[i]) + behind + "behind")
          << kNames[i] << ": " << relation.start << " to " << relation.end;
      EXPECT_EQ(result.counters.repeated_bytes, result.counters.conflicting_bytes) << kNames[i];
    }
  }
}

// A byte is of the segment that has won it, with all of that segment's numbers.
TEST(Overlap, IsDecidedAgainstTheSegmentThatHasTheByteNow) {
  const std::vector<Letters> by_start = {{20, "aaaaaaaaaa"}, {15, "bbbbbbb"}, {17, "cccccc"}, {18, "dddddddddd"}};
  const std::vector<Letters> by_length = {{20, "aaaa"}, {20, "bbbbbb"}, {20, "ccccc"}, {20, "ddddddd"}};
  struct Case {
    OverlapPolicy policy;
    const std::vector<Letters>& segments;
    std::string_view expected;
  };
  const Case cases[] = {
      {first, by_start, "bbbbbaaaaaaaaaa"},   {last, by_start, "bbcddddddddddaa"},
      {bsd, by_start, "bbbbbbbcdddddaa"},     {linux_, by_start, "bbbbbbbcdddddaa"},
      {windows, by_start, "bbbbbbbcdddddaa"}, {first, by_length, "aaaabbd"},
      {last, by_length, "ddddddd"},           {bsd, by_length, "aaaabbd"},
      {linux_, by_length, "ddddddd"},         {windows, by_length, "aaaabbd"},
  };
  for (const Case& c : cases) {
    const std::string stream = reassembled(c.policy, c.segments).stream;
    EXPECT_EQ(stream.substr(stream.find_last_of('.') + 1), c.expected) << kNames[static_cast<int>(c.policy)];
  }
}

// Counters tell what came, not who won.
TEST(Overlap, ChangesNoCounter) {
  for (const Vector& vector : {kPublished[0], kPublished[3]}) {  // no byte comes more than twice there
    const std::string expected = reassembled(first, vector.segments).counted();
    EXPECT_NE(expected.find("conflicting_bytes"), std::string::npos);
    for (const OverlapPolicy policy : kPolicies) {
      EXPECT_EQ(reassembled(policy, vector.segments).counted(), expected) << kNames[static_cast<int>(policy)];
    }
  }
  EXPECT_EQ(reassembled(last, kPublished[0].segments).counters.conflicting_bytes, 13u);
}

TEST(Overlap, LeavesWhatWasSubmitted) {
  ReassemblerOptions options;
  options.overlap = last;
  options.block_size = 1024;
  const std::string block(1024, 'o'), again(1030, 'n');
  const Result result = reassembled(options, 7, {{1, block}, {1, again}, {1025, "llllllll"}});
  EXPECT_EQ(result.stream, block + "llllllll");
  EXPECT_EQ(result.counters.repeated_bytes, 1024u + 6u);
  EXPECT_EQ(result.counters.conflicting_bytes, 6u);
}

// What takes the front of one that waits makes more pieces, and no more of those that a gap waits for: now and later.
TEST(Overlap, KeepsCountingEntries) {
  ReassemblerOptions options;
  options.overlap = bsd;
  options.gap_packets = 4;
  options.block_size = 1024;
  const std::string o(1100, 'o'), p(1100, 'p');
  const std::vector<Letters> segments = {{20, o},   {12, "nnnnnnnnnnnn"}, {11, "mmmmmmmmmmmm"}, {1, "0123456789"},
                                         {1130, p}, {1120, "9876543210"}};
  const Result result = reassembled(options, 0, segments);
  EXPECT_EQ(result.stream, "0123456789mmmmmmmmmmmmn" + o.substr(4) + "9876543210" + p);
  EXPECT_EQ(result.counters.gap_bytes, 0u);
}

TEST(Overlap, DoesNotWriteIntoFrames) {
  ReassemblerOptions options;
  options.spans = true;
  Bytes bytes;
  EXPECT_NO_THROW(Reassembler(options, bytes));
  for (const OverlapPolicy policy : {last, bsd, linux_, windows}) {
    options.overlap = policy;
    EXPECT_THROW(Reassembler(options, bytes), Error);
  }
}

}  // namespace
}  // namespace warpmeter
