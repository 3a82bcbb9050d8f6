// Damaged segment files: an Error that names the file, whatever was cut, changed or put together, and never another
// segment.
#include <gtest/gtest.h>

#include <cstring>

#include "support/fewer.h"
#include "support/segment_files.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FramedSegment;
using test::thrown_text;
using test::operator+;

constexpr std::uint32_t kFewFrames = 32;

SegmentFileHeader few_frames() {
  SegmentFileHeader header;
  header.row_frames = kFewFrames;
  return header;
}

// Of several rows.
Bytes small_file(std::uint64_t seed) {
  const auto all = test::RandomSegments(seed, 5).next_ones(40);
  return test::segment_file(few_frames(), all, test::facts_of(all));
}

// What is said of it; "" if it was read to its end.
std::string said_of(const Bytes& bytes) {
  return thrown_text([&] { test::read_segments("x.segments", bytes); });
}

bool is_named(const std::string& message) { return message.starts_with("x.segments: "); }

struct Place {
  std::uint64_t at, bytes;
};

// Where the blocks are, headers and all.
std::vector<Place> blocks_of(const Bytes& bytes) {
  SegmentFile file("x", std::make_shared<RegularFile>(bytes.data(), bytes.size()));
  std::vector<Place> places;
  for (SegmentFile::Block b; file.next(b);) {
    places.push_back({b.payload - sizeof b.header, sizeof b.header + b.header.payload_bytes});
  }
  return places;
}

Bytes part(const Bytes& bytes, std::uint64_t from, std::uint64_t until) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.begin() + static_cast<std::ptrdiff_t>(until)};
}

TEST(SegmentFileDamage, EveryTruncationIsAnError) {
  const Bytes sound = small_file(1);
  ASSERT_EQ(said_of(sound), "");
  for (std::size_t size = 0; size < sound.size(); ++size) {
    ASSERT_TRUE(is_named(said_of(part(sound, 0, size)))) << size;
    ASSERT_TRUE(is_named(said_of(part(sound, sound.size() - size, sound.size())))) << size;
  }
}

TEST(SegmentFileDamage, EveryByteIsUnderAChecksum) {
  const Bytes sound = small_file(1);
  for (std::size_t at = 0; at < sound.size(); at += test::next_of_all()) {
    for (const unsigned change : {1u << at % 8, 0x80u >> at % 7}) {
      Bytes bytes = sound;
      bytes[at] ^= static_cast<std::uint8_t>(change);
      ASSERT_TRUE(is_named(said_of(bytes))) << at << ", " << change;
    }
  }
}

TEST(SegmentFileDamage, EveryByteTooManyOrTooFewIsAnError) {
  const Bytes sound = small_file(1);
  for (std::size_t at = 0; at <= sound.size(); at += test::next_of_all()) {
    const Bytes more = part(sound, 0, at) + Bytes{0} + part(sound, at, sound.size());
    ASSERT_TRUE(is_named(said_of(more))) << at;
    if (at == sound.size()) break;
    const Bytes fewer = part(sound, 0, at) + part(sound, at + 1, sound.size());
    ASSERT_TRUE(is_named(said_of(fewer))) << at;
  }
}

TEST(SegmentFileDamage, OneBehindTheOtherIsAnError) {
  const Bytes a = small_file(1), b = small_file(2);
  EXPECT_TRUE(is_named(said_of(a + a)));
  EXPECT_TRUE(is_named(said_of(a + b)));
  EXPECT_TRUE(is_named(said_of(a + Bytes(1))));
  EXPECT_TRUE(is_named(said_of(a + Bytes(4096))));
}

TEST(SegmentFileDamage, BlocksOfAnotherSetAreAnError) {
  const Bytes a = small_file(1), b = small_file(2);
  const auto in_a = blocks_of(a), in_b = blocks_of(b);
  ASSERT_GE(in_a.size(), 2u);
  const std::uint64_t end_a = in_a.back().at + in_a.back().bytes, end_b = in_b.back().at + in_b.back().bytes;
  EXPECT_TRUE(is_named(said_of(part(a, 0, end_a) + part(b, end_b, b.size()))));
  EXPECT_TRUE(is_named(said_of(part(b, 0, end_b) + part(a, end_a, a.size()))));
}

// Of as many segments: their own checksums are right, and the numbers of the trailer.
TEST(SegmentFileDamage, BlockOfAnotherSetInPlaceOfOneIsAnError) {
  const auto file = [](std::uint64_t seed) {
    const auto all = test::RandomSegments(seed, 5).next_ones(40, 0);
    return test::segment_file(few_frames(), all, test::facts_of(all));
  };
  const Bytes a = file(1), b = file(2);
  const auto in_a = blocks_of(a), in_b = blocks_of(b);
  ASSERT_EQ(in_a.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Bytes mixed = part(a, 0, in_a[i].at) + part(b, in_b[i].at, in_b[i].at + in_b[i].bytes) +
                        part(a, in_a[i].at + in_a[i].bytes, a.size());
    EXPECT_EQ(said_of(mixed), "x.segments: segment file is damaged: it holds blocks of another file");
  }
}

TEST(SegmentFileDamage, BlocksThatAreMissingOrElsewhereAreAnError) {
  const Bytes sound = small_file(1);
  const auto blocks = blocks_of(sound);
  for (const Place& block : blocks) {
    const Bytes before = part(sound, 0, block.at), behind = part(sound, block.at + block.bytes, sound.size());
    const Bytes own = part(sound, block.at, block.at + block.bytes);
    EXPECT_TRUE(is_named(said_of(before + behind)));
    EXPECT_TRUE(is_named(said_of(before + own + own + behind)));
  }
  const Place &one = blocks[0], &two = blocks[1];
  EXPECT_TRUE(is_named(said_of(part(sound, 0, one.at) + part(sound, two.at, two.at + two.bytes) +
                               part(sound, one.at, two.at) + part(sound, two.at + two.bytes, sound.size()))));
}

// With right checksums all the same.
class MadeSegmentFile {
 public:
  explicit MadeSegmentFile(const Bytes& bytes) : bytes_(bytes) {
    std::memcpy(&trailer, bytes.data() + bytes.size() - sizeof trailer, sizeof trailer);
  }
  std::string said(const std::string& facts) {
    const std::size_t blocks_end = bytes_.size() - sizeof trailer - facts_bytes();
    Bytes made = part(bytes_, 0, blocks_end);
    made.insert(made.end(), facts.begin(), facts.end());
    if (trailer.facts_bytes == facts_bytes()) trailer.facts_bytes = facts.size();
    SegmentFileHeader header;
    std::memcpy(&header, made.data(), sizeof header);
    if (trailer.facts_bytes == facts.size()) trailer.checksum = checksum_of(header, trailer, facts.data());
    const auto* const end = reinterpret_cast<const std::uint8_t*>(&trailer);
    made.insert(made.end(), end, end + sizeof trailer);
    return said_of(made);
  }
  std::string said() {
    const auto end = bytes_.end() - sizeof trailer;
    return said({end - static_cast<std::ptrdiff_t>(facts_bytes()), end});
  }

  SegmentTrailer trailer;

 private:
  std::uint64_t facts_bytes() const {
    SegmentTrailer before;
    std::memcpy(&before, bytes_.data() + bytes_.size() - sizeof before, sizeof before);
    return before.facts_bytes;
  }
  const Bytes bytes_;
};

TEST(SegmentFileDamage, HostileTrailersAreErrors) {
  const Bytes sound = small_file(1);
  const auto said = [&](const auto& change) {
    MadeSegmentFile file(sound);
    change(file.trailer);
    return file.said();
  };
  EXPECT_EQ(said([](auto&) {}), "");
  EXPECT_TRUE(is_named(said([](auto& t) { ++t.blocks; })));
  EXPECT_TRUE(is_named(said([](auto& t) { --t.segments; })));
  EXPECT_TRUE(is_named(said([](auto& t) { t.facts_bytes = ~0ull; })));
  EXPECT_TRUE(is_named(said([](auto& t) { t.facts_bytes = 1ull << 40; })));
  EXPECT_TRUE(is_named(said([&](auto& t) { t.facts_bytes = sound.size(); })));
}

TEST(SegmentFileDamage, HostileFactsAreErrors) {
  const Bytes sound = small_file(1);
  for (const std::string facts : {"", "{}", "[]", "null", "1", "{\"options\":{}}", "{\"options\":"}) {
    EXPECT_EQ(MadeSegmentFile(sound).said(facts), "x.segments: segment file is damaged: its facts make no sense");
  }
  EXPECT_TRUE(is_named(MadeSegmentFile(sound).said(std::string(100'000, '['))));
}

// A block's header with right checksums.
TEST(SegmentFileDamage, HostileBlockHeadersAreErrors) {
  const Bytes sound = small_file(1);
  const auto blocks = blocks_of(sound);
  const auto said = [&](const auto& change) {
    Bytes bytes = sound;
    SegmentBlockHeader header;
    std::uint8_t* const at = bytes.data() + blocks[1].at;
    std::memcpy(&header, at, sizeof header);
    const std::uint64_t payload = header.payload_bytes;
    change(header);
    if (header.payload_bytes == payload) header.checksum = checksum_of(header, at + sizeof header);
    std::memcpy(at, &header, sizeof header);
    MadeSegmentFile file(bytes);
    file.trailer.blocks_checksum = 0;
    for (const Place& block : blocks) {
      SegmentBlockHeader one;
      std::memcpy(&one, bytes.data() + block.at, sizeof one);
      file.trailer.blocks_checksum = chained(file.trailer.blocks_checksum, one.checksum);
    }
    return file.said();
  };
  EXPECT_EQ(said([](auto&) {}), "");
  EXPECT_TRUE(is_named(said([](auto& h) { h.row = 0; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.row = 3; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.row = kMostSetFrames; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.row = ~0ull; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.segments = 0; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.segments = ~0u; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.conversations = ~0u; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.payload_bytes = ~0ull; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.payload_bytes = 1ull << 40; })));
  EXPECT_TRUE(is_named(said([](auto& h) { h.time_unit = 3; })));
}

}  // namespace
}  // namespace warpmeter
