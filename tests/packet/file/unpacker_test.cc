// Every format gives back what was packed, and says the same of what is damaged, however its bytes are cut into pieces.
#include "packet/file/unpacker.h"

#include <gtest/gtest.h>

#include "support/packed.h"

namespace warpmeter::test {
namespace {

// A window of memory, to look at.
class MemorySource : public ByteSource {
 public:
  explicit MemorySource(const Bytes& bytes) {
    at_ = bytes.data();
    end_ = at_ + bytes.size();
  }
  void lend_to(Leases*) override {}
  std::uint64_t size() const override { return 0; }

 private:
  bool grow(std::size_t) override { return false; }
};

struct Unpacked {
  Bytes bytes;
  std::string problem;
  bool at_border = false;  // and no problem
  bool operator==(const Unpacked&) const = default;
};

// Until the end or a problem, `in_piece` bytes into `out_piece` bytes at a time.
Unpacked unpack(const Bytes& packed, std::size_t in_piece, std::size_t out_piece) {
  MemorySource source(packed);
  const auto unpacker = make_unpacker(compression_of(source));
  Unpacked result;
  Bytes out(out_piece);
  for (std::size_t at = 0; unpacker->problem().empty();) {
    const Unpacker::Step step = unpacker->unpack({packed.data() + at, std::min(in_piece, packed.size() - at)}, out);
    at += step.taken;
    result.bytes.insert(result.bytes.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(step.given));
    if (at == packed.size() && step.taken + step.given == 0) break;
    if (unpacker->problem().empty() && step.taken + step.given == 0) throw std::logic_error("no step forward");
  }
  result.problem = unpacker->problem();
  result.at_border = result.problem.empty() && unpacker->at_border();
  return result;
}

void PrintTo(const Unpacked& unpacked, std::ostream* out) {
  *out << unpacked.bytes.size() << " bytes, problem: " << unpacked.problem << ", at border: " << unpacked.at_border;
}

// The same for all sizes of pieces; what is long not byte by byte.
Unpacked unpack(const Bytes& packed) {
  const Unpacked whole = unpack(packed, 1 << 20, 1 << 16);
  for (const auto& [in, out] : {std::pair{1, 1}, {1, 1000}, {1000, 7}, {50, 64}}) {
    if (packed.size() > 1 << 20 && in == 1) continue;
    EXPECT_EQ(unpack(packed, static_cast<std::size_t>(in), static_cast<std::size_t>(out)), whole) << in << " " << out;
  }
  return whole;
}

Unpacked all_of(const Bytes& plain) { return {plain, "", true}; }

const Bytes kPlain = plain_bytes(400);

class UnpackerTest : public testing::TestWithParam<Packer> {
 protected:
  Bytes pack(const Bytes& plain) const { return GetParam().pack(plain); }
};

TEST_P(UnpackerTest, GivesBackWhatWasPacked) {
  for (const std::size_t size : {0, 1, 100, 400}) {
    EXPECT_TRUE(unpack(pack(plain_bytes(size))) == all_of(plain_bytes(size))) << size;
  }
  for (const std::size_t size : {65'535, 65'536, 65'537, 131'072, 131'073, 1'000'000}) {
    EXPECT_TRUE(unpack(pack(plain_bytes(size)), 50'000, 70'000) == all_of(plain_bytes(size))) << size;
  }
}

TEST_P(UnpackerTest, SeveralOneAfterTheOther) {
  const Bytes a = plain_bytes(1000, 1), b = plain_bytes(2000, 2);
  EXPECT_TRUE(unpack(pack(a) + pack({}) + pack(b)) == all_of(a + b));
}

TEST_P(UnpackerTest, EveryCutIsNoticed) {
  const Bytes packed = pack(kPlain);
  for (std::size_t size = 4; size < packed.size(); ++size) {
    const Unpacked cut = unpack(Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(cut.problem, "");
    EXPECT_FALSE(cut.at_border) << size;
    ASSERT_LE(cut.bytes.size(), kPlain.size());
    EXPECT_TRUE(std::equal(cut.bytes.begin(), cut.bytes.end(), kPlain.begin())) << size;
  }
}

TEST_P(UnpackerTest, EveryWrongByteIsNoticedOrMattersNothing) {
  const Bytes packed = pack(kPlain);
  int noticed = 0;
  for (std::size_t at = 4; at < packed.size(); ++at) {
    Bytes wrong = packed;
    wrong[at] ^= 0x10;
    const Unpacked result = unpack(wrong);
    const bool good = result.problem.empty() && result.at_border;
    EXPECT_TRUE(!good || result.bytes == kPlain) << at;
    noticed += !good;
  }
  EXPECT_GT(noticed, static_cast<int>(packed.size()) - 20);
}

TEST_P(UnpackerTest, WhatCameBeforeDamageIsGiven) {
  const Bytes first = plain_bytes(700'000);
  Bytes damaged = pack(plain_bytes(300'000, 2));
  for (std::size_t at = 20; at < damaged.size(); ++at) damaged[at] = 0xff;
  const Unpacked result = unpack(pack(first) + damaged, 10'000, 1'000'000);
  EXPECT_NE(result.problem, "");
  ASSERT_GE(result.bytes.size(), first.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), result.bytes.begin()));
  EXPECT_TRUE(unpack(pack(first) + damaged, 1 << 20, 1000) == result);
}

TEST_P(UnpackerTest, GarbageBehindTheEndIsAProblem) {
  EXPECT_TRUE(unpack(pack(kPlain) + Bytes(20, 'x')) == (Unpacked{kPlain, "garbage behind the end", false}));
}

INSTANTIATE_TEST_SUITE_P(AllFormats, UnpackerTest, testing::ValuesIn(packers()),
                         [](const auto& format) { return format.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UnpackerTest);

#if WARPMETER_HAVE_ZLIB
TEST(GzipUnpacker, BlocksOfBgzip) {
  const Bytes plain = plain_bytes(200'000);
  EXPECT_TRUE(unpack(bgzf_of(plain), 5000, 100'000) == all_of(plain));
}

TEST(GzipUnpacker, ZerosBehindTheEndArePadding) {
  const Bytes padded = gzip_of(kPlain) + gzip_of(kPlain) + Bytes(700, 0);
  EXPECT_TRUE(unpack(padded) == all_of(kPlain + kPlain));
  EXPECT_EQ(unpack(padded + Bytes{1}).problem, "garbage behind the end");
  EXPECT_EQ(unpack(padded + gzip_of(kPlain)).bytes, kPlain + kPlain);
}
#endif

#if WARPMETER_HAVE_ZSTD
TEST(ZstdUnpacker, TooLargeAWindowSaysSo) {
  // A frame header that claims 2^28 bytes of window, and an empty last block.
  const Unpacked result = unpack(Bytes{0x28, 0xb5, 0x2f, 0xfd, 0, 18 << 3, 1, 0, 0});
  EXPECT_EQ(result.problem, "its window is larger than 128 MiB (packed with --long=28 or more)");
  EXPECT_TRUE(unpack(Bytes{0x28, 0xb5, 0x2f, 0xfd, 0, 17 << 3, 1, 0, 0}) == all_of({}));
}
#endif

#if WARPMETER_HAVE_ZSTD && WARPMETER_HAVE_LZ4
TEST(SkippableFrames, ArePassedOverAndTellNothingOfTheFormat) {
  for (const Packer& packer : packers()) {
    if (packer.name == "gzip") continue;
    const Bytes packed = packer.pack(kPlain);
    const Bytes skipped = skippable(plain_bytes(5000));
    EXPECT_TRUE(unpack(skipped + skippable({}) + packed + skipped + packed + skipped) == all_of(kPlain + kPlain))
        << packer.name;
  }
}

// Farther away than one looks, so that only unpacking tells what follows: in one frame, and in very many.
TEST(SkippableFrames, ManyAndLongOnesTellNothingOfTheFormatEither) {
  Bytes many;
  for (std::uint32_t i = 0; i < 140'000; ++i) {
    many.insert(many.end(), {static_cast<std::uint8_t>(0x50 + i % 16), 0x2a, 0x4d, 0x18, 0, 0, 0, 0});
  }
  for (const Packer& packer : packers()) {
    if (packer.name == "gzip") continue;
    const Bytes packed = packer.pack(kPlain);
    for (const Bytes& before : {many, skippable(Bytes(2 << 20, 0xaa)) + skippable({})}) {
      const Bytes all = before + packed + skippable({}) + packed;
      EXPECT_TRUE(unpack(all) == all_of(kPlain + kPlain)) << packer.name;
      EXPECT_TRUE(unpack(all + Bytes(20, 'x')) == (Unpacked{kPlain + kPlain, "garbage behind the end", false}));
    }
  }
}

TEST(SkippableFrames, WhatFollowsThemMustBeKnown) {
  const Bytes long_one = skippable(Bytes(2 << 20, 0xaa));
  EXPECT_TRUE(unpack(long_one + Bytes(20, 'x')) == (Unpacked{{}, "neither follows the skippable frames", false}));
  EXPECT_TRUE(unpack(long_one + Bytes{2, 0x21, 0x4c, 0x18, 0, 0, 0, 0}) ==
              (Unpacked{{}, "lz4-compressed in the legacy format (lz4 -l), which is not read", false}));
  EXPECT_TRUE(unpack(long_one) == all_of({}));
  for (const std::size_t cut : {1, 100, 2 << 20, (2 << 20) + 3}) {
    const Unpacked result = unpack(Bytes(long_one.begin(), long_one.end() - static_cast<std::ptrdiff_t>(cut)));
    EXPECT_TRUE(result == (Unpacked{{}, "", false})) << cut;
  }
}
#endif

}  // namespace
}  // namespace warpmeter::test
