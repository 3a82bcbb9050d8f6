// Compressed files as one window: sizes around the borders of chunks, long windows, little memory, threads only where
// they are needed, and ends before the end.
#include "packet/file/unpacked_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>

#include "packet/file/file_source.h"
#include "support/fewer.h"
#include "support/packed.h"
#include "support/pipe.h"
#include "support/scratch_folder.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kFirst = Unpacking::kFirstBytes;
constexpr std::size_t kChunk = Unpacking::kChunkBytes;
const std::atomic<bool> kGoOn = false;

std::size_t threads_now() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

std::size_t resident_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class UnpackedSourceTest : public testing::TestWithParam<Packer> {
 protected:
  std::unique_ptr<ByteSource> source_of(const Bytes& packed) const {
    return unpacked(open_byte_source(folder_.write("packed", packed), kGoOn), "packed");
  }
  Bytes pack(const Bytes& plain) const { return GetParam().pack(plain); }

  const ScratchFolder folder_;
};

// `piece` bytes at a time.
Bytes read_all(ByteSource& source, std::size_t piece) {
  Bytes all;
  while (source.need(piece) || source.left() > 0) {
    const std::size_t size = std::min(piece, source.left());
    all.insert(all.end(), source.at(), source.at() + size);
    source.advance(size);
  }
  EXPECT_EQ(source.offset(), all.size());
  return all;
}

TEST_P(UnpackedSourceTest, AnySizeInAnyPieces) {
  for (const std::size_t size :
       {std::size_t{1}, kFirst - 1, kFirst, kFirst + 1, kFirst + kChunk - 1, kFirst + kChunk, kFirst + kChunk + 1}) {
    const Bytes plain = plain_bytes(size);
    const Bytes packed = pack(plain);
    for (const std::size_t piece : {std::size_t{999}, std::size_t{100'000}, size + 1}) {
      const auto source = source_of(packed);
      EXPECT_EQ(source->size(), packed.size());
      EXPECT_TRUE(read_all(*source, piece) == plain) << size << " " << piece;
      EXPECT_EQ(source->broken(), "");
      EXPECT_EQ(source->consumed(), packed.size());
    }
  }
}

TEST_P(UnpackedSourceTest, FromAPipeInTinyPieces) {
  const Bytes plain = plain_bytes(kFirst + 1000);
  const FedPipe pipe(pack(plain), 11);
  const auto source = unpacked(std::make_unique<PipeSource>(pipe.read_end(), "pipe", kGoOn), "pipe");
  EXPECT_EQ(source->size(), 0u);
  EXPECT_TRUE(read_all(*source, 500) == plain);
  EXPECT_EQ(source->broken(), "");
}

TEST_P(UnpackedSourceTest, WhatWasLentStaysWhole) {
  const Bytes plain = plain_bytes(3 * kChunk);
  ByteSource::Leases kept;
  std::vector<const std::uint8_t*> places;
  {
    const auto source = source_of(pack(plain));
    source->lend_to(&kept);
    for (; source->need(1000); source->advance(1000)) places.push_back(source->at());
  }
  ASSERT_EQ(places.size(), plain.size() / 1000);
  for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(std::memcmp(places[i], &plain[i * 1000], 1000), 0) << i;
}

TEST_P(UnpackedSourceTest, CutShortSaysSoAfterTheLastByte) {
  const Bytes plain = plain_bytes(2 * kChunk);
  Bytes packed = pack(plain);
  packed.resize(packed.size() - 3);
  const auto source = source_of(packed);
  EXPECT_TRUE(read_all(*source, 4096) == plain);
  EXPECT_EQ(source->broken(), GetParam().name + ": cut short");
  EXPECT_FALSE(source->need(1));
}

TEST_P(UnpackedSourceTest, ThreadRunsOnlyOnceMoreThanTheFirstBytesAreWanted) {
  const std::size_t before = threads_now();
  const auto source = source_of(pack(plain_bytes(2 * Unpacking::kAhead * kChunk)));
  EXPECT_TRUE(source->need(kFirst));
  EXPECT_EQ(threads_now(), before);
  source->read_ahead();
  EXPECT_EQ(threads_now(), before + 1);
  EXPECT_TRUE(source->need(kFirst + 1));
  EXPECT_EQ(threads_now(), before + 1);
}

TEST_P(UnpackedSourceTest, NothingIsWaitedForOnceNobodyWantsTheRest) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Bytes packed = pack(plain_bytes(30'000));
  ASSERT_EQ(write(ends[1], packed.data(), packed.size() - 1), static_cast<ssize_t>(packed.size() - 1));
  {
    const auto source = unpacked(std::make_unique<PipeSource>(Descriptor(ends[0]), "pipe", kGoOn), "pipe");
    source->read_ahead();  // and waits for what never comes
  }
  close(ends[1]);
}

TEST_P(UnpackedSourceTest, ClaimedLengthIsNotAllocated) {
  const auto source = source_of(pack(plain_bytes(100'000)));
  EXPECT_FALSE(source->need(std::size_t{1} << 60));
  EXPECT_EQ(source->left(), 100'000u);
}

// 256 MiB of zeros, in frames or members of 1 MiB.
TEST_P(UnpackedSourceTest, BombTakesNoMemory) {
  constexpr std::size_t kPart = 1 << 20;
  const Bytes part = pack(Bytes(kPart, 0));
  Bytes bomb;
  constexpr std::size_t kParts = test::fewer(256);
  for (std::size_t i = 0; i < kParts; ++i) bomb.insert(bomb.end(), part.begin(), part.end());
  ASSERT_LT(bomb.size(), std::size_t{2} << 20);
  const auto source = source_of(bomb);
  const std::size_t before = resident_bytes();
  std::size_t most = 0;
  ByteSource::Leases leases;
  for (std::size_t i = 0; i < kParts; ++i) {
    source->lend_to(&leases);
    ASSERT_TRUE(source->need(kPart));
    EXPECT_EQ(source->at()[kPart / 2], 0);
    source->advance(kPart);
    leases.clear();
    most = std::max(most, resident_bytes());
  }
  EXPECT_FALSE(source->need(1));
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed
  EXPECT_LT(most, before + (std::size_t{40} << 20));
#endif
}

INSTANTIATE_TEST_SUITE_P(AllFormats, UnpackedSourceTest, testing::ValuesIn(packers()),
                         [](const auto& format) { return format.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UnpackedSourceTest);

}  // namespace
}  // namespace warpmeter::test
