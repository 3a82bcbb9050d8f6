// Files that others change while they are read: what is gone or was not there yet is told, nothing is made up, and
// nobody dies of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "packet/file/trace.h"
#include "packet/file/unpacked_source.h"
#include "support/chunks.h"
#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"

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
  // Claims, walks and perhaps commits a few chunks of the file, changes it, and reads on.
  template <class Change>
  TraceContent read_and(const Bytes& content, bool commit_first, const Change& change) {
    path_ = folder_.write("capture", content);
    Trace trace({path_}, stop_);
    Committer committer(trace, false);
    std::vector<ReadChunk> claimed(4);
    for (ReadChunk& one : claimed) {
      EXPECT_TRUE(one.claim(trace, {.frames = 100}));
      one.read();
      if (commit_first) committer.commit(one);
    }
    change();
    if (!commit_first) {
      for (ReadChunk& one : claimed) committer.commit(one);
    }
    const TraceContent all = read_ahead(trace, {.frames = 100}, 3, committer);
    EXPECT_EQ(committer.mistakes, 0);
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
  for (const std::size_t left : {500, 777, 1999}) {
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
  const TraceContent content = read_and(pcap(), false, [&] { shrink_to(24 + 533 * kPcapRecord); });
  expect_packets(content, 533);
  expect_damage(content, 24 + 533 * kPcapRecord, "the file shrank while it was read");
}

TEST_F(ChangingFileTest, WhatWasReadBeforeItShrankCounts) {
  for (const bool commit_first : {true, false}) {
    const TraceContent content = read_and(pcap(), commit_first, [&] { shrink_to(24 + 7); });
    ASSERT_GE(content.packets.size(), 300u);
    expect_packets(content, content.packets.size());
    expect_damage(content, 24 + content.packets.size() * kPcapRecord, "the file shrank while it was read");
  }
}

TEST_F(ChangingFileTest, PcapngShrinks) {
  const std::size_t header = pcapng().size() - kRecords * kPcapngBlock;
  for (const std::size_t left : {150, 390, 1500}) {
    const std::size_t size = header + left * kPcapngBlock + 100;
    for (const bool commit_first : {false, true}) {
      const TraceContent content = read_and(pcapng(), commit_first, [&] { shrink_to(size); });
      ASSERT_GE(content.packets.size(), std::max<std::size_t>(left, 400));  // what was read by then counts
      expect_packets(content, content.packets.size());
      expect_damage(content, header + content.packets.size() * kPcapngBlock,
                    "block length 332 (the file shrank while it was read)");
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
  Committer committer(trace);
  const TraceContent content = read_ahead(trace, {.frames = 1000}, 2, committer);
  EXPECT_EQ(content.packets.size(), 2 * kRecords);
  ASSERT_EQ(content.unreadable.size(), 1u);
  EXPECT_EQ(content.unreadable[0], b + ": No such file or directory");
}

}  // namespace
}  // namespace warpmeter::test
