// Files that others change while they are read: what is gone or was not there yet is told, nothing is made up, and
// nobody dies of it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include "capture/mapping_guard.h"
#include "capture/trace.h"
#include "capture/unpacked_source.h"
#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"
#include "support/stretches.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kRecords = 2000;
constexpr std::size_t kCaptured = 300;
constexpr std::size_t kPcapRecord = 16 + kCaptured;
constexpr std::size_t kPcapngBlock = 32 + kCaptured;

Bytes payload(std::uint32_t i) { return plain_bytes(kCaptured, i + 1); }

const Bytes& pcap() {
  static const Bytes bytes = [] {
    PcapFile file;
    for (std::uint32_t i = 0; i < kRecords; ++i) file.record(i + 1, 0, payload(i));
    return file.data();
  }();
  return bytes;
}

const Bytes& pcapng() {
  static const Bytes bytes = [] {
    PcapngFile file;
    file.interface(1);
    for (std::uint32_t i = 0; i < kRecords; ++i) file.enhanced(0, i, payload(i));
    return file.data();
  }();
  return bytes;
}

class ChangingFileTest : public testing::Test {
 protected:
  // Claims, walks and perhaps settles a few stretches of the file, changes it, and reads on.
  template <class Change>
  TraceContent read_and(const Bytes& content, bool settle_first, const Change& change) {
    path_ = folder_.write("capture", content);
    Trace trace({path_}, stop_);
    Settler settler(trace);
    std::vector<Stretch> claimed(4);
    for (Stretch& stretch : claimed) {
      EXPECT_TRUE(trace.claim(stretch, {.frames = 100}));
      Trace::walk(stretch);
      if (settle_first) settler.settle(stretch);
    }
    change();
    if (!settle_first) {
      for (Stretch& stretch : claimed) settler.settle(stretch);
    }
    const TraceContent all = read_ahead(trace, {.frames = 100}, 3, settler);
    EXPECT_EQ(settler.mistakes, 0);
    return all;
  }

  void shrink_to(std::size_t size) const { ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(size)), 0); }

  // The first `count` packets are as they were written, and there are no others.
  static void expect_packets(const TraceContent& content, std::size_t count) {
    ASSERT_EQ(content.packets.size(), count);
    for (std::uint32_t i = 0; i < count; ++i) EXPECT_TRUE(std::get<4>(content.packets[i]) == payload(i)) << i;
  }

  static void expect_damage(const TraceContent& content, std::uint64_t offset, const std::string& reason) {
    ASSERT_EQ(content.damage.size(), 1u);
    EXPECT_EQ(std::get<1>(content.damage[0]), offset);
    EXPECT_EQ(std::get<2>(content.damage[0]), reason);
  }

  const ScratchFolder folder_;
  std::string path_;
  const std::atomic<bool> stop_ = false;
};

TEST_F(ChangingFileTest, PcapShrinksWithinARecord) {
  for (const std::size_t left : {0, 150, 250, 1999}) {
    const std::size_t record = 24 + left * kPcapRecord;
    for (const std::size_t more : {1, 16, 200}) {
      const TraceContent content = read_and(pcap(), false, [&] { shrink_to(record + more); });
      expect_packets(content, left);
      expect_damage(
          content, record,
          std::string(more < 16 ? "record header" : "record") + " cut short (the file shrank while it was read)");
    }
  }
}

TEST_F(ChangingFileTest, PcapShrinksBetweenRecords) {
  const TraceContent content = read_and(pcap(), false, [&] { shrink_to(24 + 333 * kPcapRecord); });
  expect_packets(content, 333);
  expect_damage(content, 24 + 333 * kPcapRecord, "the file shrank while it was read");
}

TEST_F(ChangingFileTest, WhatWasReadBeforeItShrankCounts) {
  const TraceContent content = read_and(pcap(), true, [&] { shrink_to(24 + 7); });
  ASSERT_GE(content.packets.size(), 300u);
  expect_packets(content, content.packets.size());
  expect_damage(content, 24 + content.packets.size() * kPcapRecord, "the file shrank while it was read");
}

TEST_F(ChangingFileTest, PcapngShrinks) {
  const std::size_t header = pcapng().size() - kRecords * kPcapngBlock;
  for (const std::size_t left : {150, 390, 1500}) {
    const std::size_t size = header + left * kPcapngBlock + 100;
    for (const bool settle_first : {false, true}) {
      const TraceContent content = read_and(pcapng(), settle_first, [&] { shrink_to(size); });
      const std::size_t read = settle_first ? std::max<std::size_t>(left, 400) : left;
      expect_packets(content, read);
      ASSERT_EQ(content.damage.size(), 1u);
      EXPECT_NE(std::get<2>(content.damage[0]).find("the file shrank while it was read"), std::string::npos);
    }
  }
}

TEST_F(ChangingFileTest, PackedFileShrinks) {
  const Bytes plain = plain_bytes(1 << 20);
  for (const Packer& packer : packers()) {
    const Bytes packed = packer.pack(plain);
    path_ = folder_.write("packed", packed);
    const auto source = unpacked(open_byte_source(path_, stop_), path_);
    shrink_to(packed.size() / 2);
    Bytes all;
    for (; source->need(1); source->advance(source->left())) {
      all.insert(all.end(), source->at(), source->at() + source->left());
    }
    EXPECT_EQ(source->broken(), packer.name + ": the file shrank while it was read");
    ASSERT_LT(all.size(), plain.size());
    EXPECT_GE(all.size(), Unpacking::kFirstBytes);
    EXPECT_TRUE(std::equal(all.begin(), all.end(), plain.begin())) << packer.name;
  }
}

TEST_F(ChangingFileTest, LastRecordWasStillBeingWritten) {
  const auto append = [this] { std::ofstream(path_, std::ios::app) << "more"; };
  const Bytes whole = pcap(), blocks = pcapng();
  const auto cut = [](const Bytes& file) { return Bytes(file.begin(), file.end() - 10); };
  TraceContent content = read_and(cut(whole), true, append);
  expect_packets(content, kRecords - 1);
  expect_damage(content, whole.size() - kPcapRecord, "record cut short (the file was still being written)");
  content = read_and(cut(blocks), true, append);
  expect_packets(content, kRecords - 1);
  expect_damage(content, blocks.size() - kPcapngBlock, "block length 332 (the file was still being written)");
  content = read_and(whole, true, append);
  expect_packets(content, kRecords);
  EXPECT_TRUE(content.damage.empty());
}

TEST_F(ChangingFileTest, VanishedFileEndsNothing) {
  const std::string a = folder_.write("a", pcap()), b = folder_.write("b", pcap());
  Trace trace({a, b, a}, stop_);
  ASSERT_EQ(unlink(b.c_str()), 0);
  Settler settler(trace);
  const TraceContent content = read_ahead(trace, {.frames = 1000}, 2, settler);
  EXPECT_EQ(content.packets.size(), 2 * kRecords);
  ASSERT_EQ(content.unreadable.size(), 1u);
  EXPECT_EQ(content.unreadable[0], b + ": No such file or directory");
}

// A file of `bytes` ones, mapped.
class MappingGuardTest : public testing::Test {
 protected:
  static constexpr std::size_t kBytes = 64 << 10;
  MappingGuardTest() : file_(std::fopen(folder_.write("file", Bytes(kBytes, 1)).c_str(), "r+")) {
    void* data = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fileno(file_), 0);
    data_ = static_cast<const volatile std::uint8_t*>(data);
  }
  ~MappingGuardTest() override {
    munmap(const_cast<std::uint8_t*>(data_), kBytes);
    std::fclose(file_);
  }
  void shrink_to(off_t size) const { ASSERT_EQ(ftruncate(fileno(file_), size), 0); }

  const ScratchFolder folder_;
  std::FILE* file_;
  const volatile std::uint8_t* data_;
};

TEST_F(MappingGuardTest, MissingPagesAreZeros) {
  const MappingGuard guard(const_cast<const std::uint8_t*>(data_), kBytes);
  ASSERT_TRUE(guard.works());
  shrink_to(10'000);
  EXPECT_EQ(data_[9'999], 1);
  EXPECT_EQ(guard.missing_from(), MappingGuard::kWhole);
  EXPECT_EQ(data_[40'000], 0);
  EXPECT_EQ(guard.missing_from(), 36'864u);
  EXPECT_EQ(data_[kBytes - 1], 0);
  EXPECT_EQ(data_[20'000], 0);
  EXPECT_EQ(guard.missing_from(), 16'384u);
  EXPECT_EQ(data_[9'999], 1);
}

TEST_F(MappingGuardTest, OthersDieAsBefore) {
  const MappingGuard of_another(reinterpret_cast<const std::uint8_t*>(this), 1);
  shrink_to(0);
  EXPECT_DEATH(static_cast<void>(data_[0]), "");
}

TEST_F(MappingGuardTest, OnlySoManyAtOnce) {
  std::vector<std::unique_ptr<MappingGuard>> guards;
  const auto add = [&] { guards.push_back(std::make_unique<MappingGuard>(const_cast<const std::uint8_t*>(data_), 1)); };
  for (int i = 0; i < MappingGuard::kMost; ++i) add();
  EXPECT_TRUE(guards.back()->works());
  add();
  EXPECT_FALSE(guards.back()->works());
  guards.erase(guards.begin());
  add();
  EXPECT_TRUE(guards.back()->works());
}

}  // namespace
}  // namespace warpmeter::test
