// The same bytes for any number of threads and any pieces; what unpacks them is in
// tests/e2e/formats/compressed_outputs.sh.
#include "base/files/packer.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <random>
#include <string>
#include <system_error>
#include <thread>

#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

std::string numbers_of(std::size_t bytes) {
  std::mt19937 random(5);
  std::string text;
  while (text.size() < bytes) text += std::to_string(random() % 3000) + ",";
  text.resize(bytes);
  return text;
}

std::string packed(Packing packing, unsigned threads, std::size_t piece, const std::string& text) {
  std::string bytes;
  const auto packer =
      make_packer(packing, threads, [&](const char* from, std::size_t count) { bytes.append(from, count); });
  for (std::size_t at = 0; at < text.size(); at += piece) {
    packer->write(text.data() + at, std::min(piece, text.size() - at));
  }
  packer->end();
  return bytes;
}

class EachPacker : public testing::TestWithParam<Packing> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not_packed(GetParam()); !why.empty())
      GTEST_SKIP() << "a build that can runs this: " << why;
  }
};

TEST_P(EachPacker, GivesTheSameBytesForAnyThreadsAndPieces) {
  constexpr std::size_t kBlock = 256 << 10;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, kBlock, 3 * kBlock, 6'000'001ul}) {
    const std::string text = numbers_of(bytes);
    const std::string first = packed(GetParam(), 1, 4099, text);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(packed(GetParam(), 2, 1 << 20, text), first) << bytes;
    EXPECT_EQ(packed(GetParam(), 7, bytes + 1, text), first) << bytes;
    if (bytes > kBlock) {
      EXPECT_LT(first.size(), bytes);
    }
  }
}

TEST_P(EachPacker, PassesTheOutputsErrorOn) {
  const std::string text = numbers_of(5'000'000);
  EXPECT_EQ(test::thrown_text([&] {
              const auto packer = make_packer(GetParam(), 2, [](const char*, std::size_t) { throw Error("no space"); });
              packer->write(text.data(), text.size());
              packer->end();
            }),
            "no space");
}

// Every thread is to have a stack that no address space has room for.
class NoThreads {
 public:
  NoThreads() {
    pthread_getattr_default_np(&usual_);
    pthread_attr_t endless;
    pthread_attr_init(&endless);
    pthread_attr_setstacksize(&endless, std::size_t{1} << 60);
    pthread_setattr_default_np(&endless);
    pthread_attr_destroy(&endless);
  }
  ~NoThreads() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_;
};

TEST(GzipPacker, CompressesWithoutThreadsIfNoneCanBeHad) {
  if (const std::string why = why_not_packed(Packing::gzip); !why.empty())
    GTEST_SKIP() << "a build that can runs this: " << why;
  const std::string text = numbers_of(3'000'000), expected = packed(Packing::gzip, 4, 1 << 20, text);
  const NoThreads limit;
  ASSERT_THROW(std::thread([] {}).join(), std::system_error);
  EXPECT_TRUE(packed(Packing::gzip, 4, 1 << 20, text) == expected);
}

INSTANTIATE_TEST_SUITE_P(All, EachPacker, testing::Values(Packing::gzip, Packing::zstd, Packing::lz4));

TEST(Packing, IsKnownByTheEndOfTheName) {
  EXPECT_EQ(packing_of("flows.csv.gz"), Packing::gzip);
  EXPECT_EQ(packing_of("flows.csv.zst"), Packing::zstd);
  EXPECT_EQ(packing_of("flows.json.lz4"), Packing::lz4);
  EXPECT_EQ(packing_of("flows.csv.GZ"), Packing::gzip);
  EXPECT_EQ(packing_of("gz.csv"), Packing::none);
  EXPECT_EQ(suffix_of(Packing::none), "");
}

}  // namespace
}  // namespace warpmeter
