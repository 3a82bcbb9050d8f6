// Captures behind each other in one file or pipe.
#include "packet/file/capture_reader.h"

#include <gtest/gtest.h>

#include "packet/file/trace.h"
#include "support/chunks.h"
#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"

namespace warpmeter::test {
namespace {

Bytes pcap_of(std::uint8_t first, std::uint8_t count, const PcapDialect& dialect = {}) {
  PcapFile file(dialect);
  for (std::uint8_t i = 0; i < count; ++i)
    file.record(1000 + first + i, 5, Bytes(i, static_cast<std::uint8_t>(first + i)));
  return file.data();
}

Bytes pcapng_of(std::uint8_t first, std::endian order = std::endian::little) {
  return PcapngFile(order).interface(1).enhanced(0, 1'000'000u * first, {first}).data();
}

// Read as a file by many threads, as a file by one, and as if it came through a pipe (unpacked).
void expect_frames(const Bytes& bytes, const std::vector<std::int64_t>& times_ns, std::size_t damages = 0) {
  const std::atomic<bool> never = false;
  const ScratchFolder folder;
  std::vector<Bytes> contents = {bytes};
  for (const Packer& packer : packers()) contents.push_back(packer.pack(bytes));
  for (const Bytes& content : contents) {
    const std::string path = folder.write("capture", content);
    std::vector<std::int64_t> read;
    const ReadCapture capture = read_file(path, 3);
    for (const ReadFrame& frame : capture.frames) read.push_back(frame.time_ns);
    EXPECT_EQ(read, times_ns);
    EXPECT_EQ(capture.damage.has_value(), damages > 0);
    for (const std::uint64_t size : {1, 50, 0}) {
      Trace trace({path}, never);
      Committer committer(trace);
      const TraceContent threads = read_in_threads(trace, {.frames = 4, .bytes = size}, 3, committer);
      EXPECT_EQ(committer.mistakes, 0);
      EXPECT_EQ(threads.damage.size(), damages);
      ASSERT_EQ(threads.packets.size(), times_ns.size());
      for (std::size_t i = 0; i < times_ns.size(); ++i) EXPECT_EQ(std::get<1>(threads.packets[i]), times_ns[i]);
      EXPECT_EQ(trace.facts().format, read_file(path).frames.empty() ? InputFormat::pcap : trace.facts().format);
    }
  }
}

constexpr std::int64_t at(std::int64_t seconds, std::int64_t ns = 5000) {
  return (1000 + seconds) * 1'000'000'000 + ns;
}

TEST(ChainedReader, PcapFilesFollowEachOther) {
  expect_frames(pcap_of(1, 3) + pcap_of(11, 2), {at(1), at(2), at(3), at(11), at(12)});
}

TEST(ChainedReader, EachHasItsOwnDialect) {
  expect_frames(pcap_of(1, 2) + pcap_of(11, 1, {.magic = kPcapNanoseconds}) +
                    pcap_of(21, 1, {.order = std::endian::big}) + pcap_of(31, 2, {.magic = kPcapModified}) +
                    pcap_of(41, 1),
                {at(1), at(2), at(11, 5), at(21), at(31), at(32), at(41)});
}

TEST(ChainedReader, EmptyCapturesInBetweenChangeNothing) {
  expect_frames(pcap_of(1, 0) + pcap_of(1, 0) + pcap_of(1, 1) + pcap_of(1, 0), {at(1)});
}

TEST(ChainedReader, PcapAndPcapngMayFollowEachOther) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    expect_frames(pcap_of(1, 1) + pcapng_of(7, order) + pcap_of(2, 1) + pcap_of(3, 1, {.order = std::endian::big}),
                  {at(1), 7'000'000'000, at(2), at(3)});
  }
}

// Only what looks like a whole header begins a file: a packet at that second does not.
TEST(ChainedReader, PacketAtAnOddTimeIsAPacket) {
  const Bytes odd = PcapFile().record(0xa1b2c3d4, 0, {1}).header(0xa1b2c3d4, 262146, 0, 60).record(9, 0, {}).data();
  const std::int64_t time = 0xa1b2c3d4 * std::int64_t{1'000'000'000};
  expect_frames(odd, {time, time + 262'146'000, 9'000'000'000});
}

TEST(ChainedReader, UnknownLinkTypeBehindIsDamageWithItsPlace) {
  const Bytes bytes = pcap_of(1, 1) + pcap_of(5, 1, {.link = 147});
  expect_frames(bytes, {at(1)}, 1);
  const ReadCapture read = read_bytes(bytes);
  ASSERT_TRUE(read.damage);
  EXPECT_EQ(read.damage->offset, 24u + 16);
  EXPECT_EQ(read.damage->reason, "another capture begins here: link type 147 (USER0) is not supported");
}

TEST(ChainedReader, OnlyUnknownLinkTypesBehindAreDamage) {
  expect_frames(pcap_of(1, 1) + PcapngFile().interface(147).data(), {at(1)}, 1);
}

TEST(ChainedReader, HeaderCutShortIsDamage) {
  const Bytes second = pcap_of(5, 1);
  expect_frames(pcap_of(1, 1) + Bytes(second.begin(), second.begin() + 18), {at(1)}, 1);
}

TEST(ChainedReader, DamageEndsAllThatFollows) {
  expect_frames(PcapFile().record(1001, 5, {1}).header(1, 0, 3 << 20, 1).data() + pcap_of(5, 1), {at(1)}, 1);
}

}  // namespace
}  // namespace warpmeter::test
