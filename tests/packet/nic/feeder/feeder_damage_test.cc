// A feeder that writes what it should not: one line says what and where, what came before is taken, and nothing is read
// that is not the ring's.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <functional>

#include "packet/nic/feeder/fed_ring.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FedRing;

TEST(FeederLayout, IsAsDocumented) {
  EXPECT_EQ(offsetof(wmf_header, data_bytes), 16u);
  EXPECT_EQ(offsetof(wmf_header, snaplen), 32u);
  EXPECT_EQ(offsetof(wmf_header, write), 64u);
  EXPECT_EQ(offsetof(wmf_header, passed_ns), 72u);
  EXPECT_EQ(offsetof(wmf_header, missed), 104u);
  EXPECT_EQ(offsetof(wmf_header, ended), 120u);
  EXPECT_EQ(offsetof(wmf_header, read), 192u);
  EXPECT_EQ(offsetof(wmf_header, missed_told), 224u);
  EXPECT_EQ(offsetof(wmf_record, captured), 8u);
  EXPECT_EQ(offsetof(wmf_record, link), 16u);
  EXPECT_EQ(offsetof(wmf_record, flags), 18u);
}

std::string refusal(const std::function<void(wmf_header&)>& damage) {
  FedRing ring(65536, 2000, 1, 3);
  damage(ring.header());
  return test::thrown_text([&] { FeederQueue(ring.memory(), 1, 3); });
}

TEST(FeederDamage, Header) {
  EXPECT_EQ(refusal([](wmf_header&) {}), "");
  EXPECT_EQ(refusal([](wmf_header& h) { ++h.magic; }), "its memory is no ring of frames");
  EXPECT_EQ(refusal([](wmf_header& h) { h.version = 2; }), "a ring of version 2, known is version 1");
  for (const std::uint32_t bytes : {0u, 64u, 8192u}) {
    EXPECT_EQ(refusal([&](wmf_header& h) { h.header_bytes = bytes; }),
              "header_bytes is " + std::to_string(bytes) + ", and not 4096");
  }
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{32768}, std::uint64_t{65535}, std::uint64_t{131072},
                                    std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    EXPECT_EQ(refusal([&](wmf_header& h) { h.data_bytes = bytes; }),
              "data_bytes is " + std::to_string(bytes) +
                  ", and not a power of two from 65536 to the 65536 bytes behind the header");
  }
  EXPECT_EQ(refusal([](wmf_header& h) { h.ring = 2; }), "ring 2 of 3 in the place of 1 of 3");
  EXPECT_EQ(refusal([](wmf_header& h) { h.rings = 1; }), "ring 1 of 1 in the place of 1 of 3");
  EXPECT_EQ(refusal([](wmf_header& h) { h.snaplen = 0; }), "snaplen is 0, and not 1 to 16384");
  EXPECT_EQ(refusal([](wmf_header& h) { h.snaplen = 16385; }), "snaplen is 16385, and not 1 to 16384");
  EXPECT_EQ(refusal([](wmf_header& h) { h.read = 8; }),
            "write is 0, and not within the 65536 bytes from 8 on, where the meter is");
  EXPECT_EQ(refusal([](wmf_header& h) { h.read = h.write = 3; }), "read is 3, no multiple of 8");
  EXPECT_EQ(refusal([](wmf_header& h) { h.write = 65544; }),
            "write is 65544, and not within the 65536 bytes from 0 on, where the meter is");
}

TEST(FeederDamage, ReservedBytesOfTheHeader) {
  for (const std::size_t at : {36, 63, 124, 191, 232, 255, 256, 4095}) {
    EXPECT_EQ(refusal([&](wmf_header& h) { reinterpret_cast<std::uint8_t*>(&h)[at] = 1; }),
              "byte " + std::to_string(at) + " of its header is reserved, and not 0");
  }
}

// What is said of a ring with three frames of 40 bytes, each a record of 64, the second of which was damaged; the first
// is taken in any case, and nothing but it.
std::string told(const std::function<void(FedRing&, wmf_record& second)>& damage) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  for (std::uint8_t i = 0; i < 3; ++i) ring.put(Bytes(40, i));
  ring.flush();
  damage(ring, ring.record_at(64));
  const std::vector<Bytes> taken = test::take_all(queue);
  if (!queue.damage().empty()) {
    EXPECT_EQ(taken, std::vector<Bytes>{Bytes(40, 0)});
    ring.header().write += 64;
    EXPECT_TRUE(test::take_all(queue).empty()) << "behind the damage";
  }
  return queue.damage();
}

TEST(FeederDamage, Records) {
  using R = wmf_record;
  EXPECT_EQ(told([](FedRing&, R&) {}), "");
  EXPECT_EQ(told([](FedRing&, R& r) { r.reserved = 1; }), "reserved bytes that are not 0 at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.flags = WMF_FILLER, r.captured = 1; }),
            "a filler of 1 captured bytes at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.captured = 2001; }), "2001 captured bytes at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.captured = 105, r.original = 105; }), "105 captured bytes at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.captured = r.original = 0xffffffff; }), "4294967295 captured bytes at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.original = 39; }), "40 captured bytes of 39 at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.flags = 2; }), "flags 2 at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.flags = 3; }), "flags 3 at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.flags = WMF_FILLER, r.captured = 0; }), "a filler without an end at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.link = 147; }), "link type 147, which is not known at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.time_ns = INT64_MIN; }), "the time -9223372036854775808 ns at byte 64");
  EXPECT_EQ(told([](FedRing&, R& r) { r.time_ns = std::int64_t{1} << 62; }),
            "the time 4611686018427387904 ns at byte 64");
}

TEST(FeederDamage, Positions) {
  // Behind the second record, and half of its header.
  EXPECT_EQ(told([](FedRing& ring, auto&) { ring.header().write = 80; }), "a record without an end at byte 64");
  EXPECT_EQ(told([](FedRing& ring, auto&) { ring.header().write = 120; }), "40 captured bytes at byte 64");
}

std::string told_of_position(std::uint64_t write) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  ring.put(Bytes(40));
  ring.flush();
  EXPECT_EQ(test::take_all(queue).size(), 1u);
  ring.header().write = write;
  EXPECT_TRUE(test::take_all(queue).empty());
  return queue.damage();
}

TEST(FeederDamage, PositionsThatCannotBe) {
  EXPECT_EQ(told_of_position(64), "");
  EXPECT_EQ(told_of_position(65), "write is 65, no multiple of 8 at byte 64");
  for (const std::uint64_t write : {std::uint64_t{56}, std::uint64_t{0}, std::uint64_t{65608}, ~std::uint64_t{7}}) {
    EXPECT_EQ(told_of_position(write),
              "write is " + std::to_string(write) +
                  ", and not within the 65536 bytes from 64 on, where the meter is at byte 64");
  }
}

TEST(FeederDamage, WhatTheFeederCounts) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  ring.header().dropped = ring.header().offered = 5;
  EXPECT_EQ(queue.count().dropped, 5u);
  ring.header().dropped = 2;
  EXPECT_EQ(queue.count().dropped, 5u);
  ring.header().read = 12345;  // the meter's own, and not looked at again
  ring.header().data_bytes = ring.header().snaplen = 0;
  ring.put(Bytes(40));
  ring.flush();
  EXPECT_EQ(test::take_all(queue).size(), 1u);
}

TEST(FeederDamage, NoMoreIsLostThanWasOffered) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  ring.header().dropped = ~std::uint64_t{0};
  EXPECT_EQ(queue.count().dropped, 0u);
  ring.put(Bytes(40)), ring.put(Bytes(40));
  ring.flush();
  EXPECT_EQ(test::take_all(queue).size(), 2u);
  EXPECT_EQ(queue.count().dropped, 0u);
  ring.header().offered = 5;
  EXPECT_EQ(queue.count().dropped, 3u);
  ring.header().offered = 1;
  EXPECT_EQ(queue.count().dropped, 3u);
}

// What it was offered a feeder tells with its flush, what it dropped before that.
TEST(FeederDamage, SumsAreJudgedAtTheEnd) {
  for (const int more : {0, 1, -1}) {
    FedRing ring;
    FeederQueue queue(ring.memory(), 0, 1);
    std::uint64_t put = 0;
    while (ring.put(Bytes(1000))) ++put;
    EXPECT_EQ(test::take_all(queue).size(), 0u);
    EXPECT_EQ(queue.damage(), "");
    wmf_end(&ring.writer(), 0);
    ring.header().offered += static_cast<std::uint64_t>(more);
    EXPECT_EQ(test::take_all(queue).size(), put);
    const std::string offered = std::to_string(put + 1 + static_cast<std::uint64_t>(more));
    EXPECT_EQ(queue.damage(), more == 0 ? ""
                                        : "offered " + offered + " frames, but taken " + std::to_string(put) +
                                              " and dropped 1, at byte " + std::to_string(ring.header().write));
  }
}

TEST(FeederDamage, ATimeThatIsNoneLosesNothing) {
  for (const std::int64_t passed : {INT64_MAX, INT64_MIN, std::int64_t{1} << 62}) {
    FedRing ring;
    FeederQueue queue(ring.memory(), 0, 1);
    ring.put(Bytes(40)), ring.put(Bytes(40));
    ring.flush(passed);
    EXPECT_EQ(test::take_all(queue).size(), 2u);
    EXPECT_EQ(queue.watermark_ns(), FrameBlock::kNothingPassed);
    EXPECT_EQ(queue.damage(),
              "passed_ns is " + std::to_string(passed) + ", and not within 2^62 before and behind 1970, at byte 128");
  }
}

std::string memory_refusal(int fd) {
  const std::string text = test::thrown_text([&] { map_feeder_memory(fd); });
  close(fd);
  return text;
}

int memory_of(off_t bytes, int seals) {
  const int fd = memfd_create("test", MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(fd, bytes), 0);
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

TEST(FeederDamage, MemoryThatCouldGoAway) {
  EXPECT_EQ(memory_refusal(memory_of(69632, F_SEAL_SHRINK | F_SEAL_GROW)), "");
  const std::string not_sealed = "its memory is not sealed against changes of its size (F_SEAL_SHRINK, F_SEAL_GROW)";
  EXPECT_EQ(memory_refusal(memory_of(69632, F_SEAL_GROW)), not_sealed);
  EXPECT_EQ(memory_refusal(memory_of(69632, F_SEAL_SHRINK)), not_sealed);
  EXPECT_EQ(memory_refusal(memory_of(69631, F_SEAL_SHRINK | F_SEAL_GROW)), "a ring of 69631 bytes");
  EXPECT_EQ(memory_refusal(memory_of(0, F_SEAL_SHRINK | F_SEAL_GROW)), "a ring of 0 bytes");
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[1]);
  EXPECT_EQ(memory_refusal(ends[0]), "what it shares is no memfd of usual pages");
  EXPECT_EQ(memory_refusal(open("/proc/self/exe", O_RDONLY)), "what it shares is no memfd of usual pages");
}

}  // namespace
}  // namespace warpmeter
