// Filters of rings in the kernel, over a wire in a network namespace of the test's own: what comes through is what the
// decoder's filter takes of a ring without one, with tags of all kinds, and what does not is counted.
#include "packet/nic/bpf/kernel_filter.h"

#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "packet/decode/packet_filter.h"
#include "packet/nic/ring/packet_ring.h"
#include "support/filter_cases.h"
#include "support/numbered_datagrams.h"

namespace warpmeter::test {
namespace {

constexpr const char* kMakeWire =
    "{ echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6; ip link add sender type veth peer name capture && ip link "
    "set sender arp off up && ip link set capture arp off up; } >&2";

class KernelFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    static const int error = unshare(CLONE_NEWNET) == 0 ? 0 : errno;
    static const bool entered = error == 0 && std::system(kMakeWire) == 0;
    if (!PacketFilter::available()) GTEST_SKIP() << "a build with libpcap (package libpcap-dev) runs this";
    if (!entered) {
      GTEST_SKIP() << "ip of iproute2, and the right to make a network namespace (root has it), run this"
                   << (error ? std::string(": ") + std::strerror(error) : "");
    }
    if (!KernelFilter::make(PacketFilter("tcp").program(kLinkEthernet), kLinkEthernet)) {
      GTEST_SKIP() << "the right to load programs into the kernel (root has it) runs this";
    }
  }

  // Nobody reads it while frames are sent, to many rings: few blocks are closed meanwhile.
  static std::unique_ptr<PacketRing> open(FilterOfLink filter) {
    const PacketRingOptions options{.bytes = 1 << 20, .block_ms = 200, .filter = std::move(filter)};
    return std::make_unique<PacketRing>(find_interface("capture"), 0, options, std::nullopt);
  }

  static void send(const std::vector<Bytes>& frames) {
    const int fd = socket(AF_PACKET, SOCK_RAW, 0);
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_ifindex = static_cast<int>(if_nametoindex("sender"));
    for (const Bytes& frame : frames) {
      ASSERT_EQ(sendto(fd, frame.data(), frame.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
                static_cast<ssize_t>(frame.size()));
    }
    close(fd);
  }

  // All that came in of so many that were sent, once it has been shut; with how often.
  static std::map<Bytes, int> drain(PacketRing& ring, std::size_t sent) {
    std::map<Bytes, int> got;
    const auto take = [&] {
      while (std::optional<RingBlock> block = ring.next()) {
        FrameBlock frames;
        ring.frames_of(*block, block->frames, frames);
        for (const Frame& frame : frames.frames) ++got[Bytes(frame.data, frame.data + frame.captured)];
      }
      ring.update_counts();
      return ring.counts().offered() >= sent;
    };
    EXPECT_TRUE(wait_for(take));
    EXPECT_EQ(ring.counts().ring_full, 0u);
    return got;
  }
};

TEST_F(KernelFilterTest, IsThatOfTheDecoder) {
  struct Case {
    std::string text;
    std::unique_ptr<PacketFilter> filter;
    std::unique_ptr<PacketRing> ring;
  };
  std::vector<Case> cases;
  for (const std::string& text : filter_cases()) {
    auto filter = std::make_unique<PacketFilter>(text);
    auto ring = open([&filter](std::uint16_t link) { return filter->program(link); });
    ASSERT_TRUE(ring->filters()) << text;
    cases.push_back({text, std::move(filter), std::move(ring)});
  }
  std::mt19937 random(24);
  std::vector<Bytes> frames;
  // The kernel drops frames that end within a tag before anybody sees them.
  for (int i = 0; i < 500; ++i) frames.push_back(random_frame(random));
  std::erase_if(frames, [](const Bytes& frame) { return frame.size() < 20; });
  std::vector<std::map<Bytes, int>> expected(cases.size());
  const auto all = open({});
  EXPECT_FALSE(all->filters());
  WitnessRing witness("capture");
  send(frames);
  ASSERT_TRUE(witness.has_seen_frames(frames.size()));
  all->shut();
  for (const Case& one : cases) one.ring->shut();
  std::uint64_t received = 0;
  const auto take = [&] {
    while (std::optional<RingBlock> block = all->next()) {
      FrameBlock got;
      all->frames_of(*block, block->frames, got);
      received += got.frames.size();
      for (const Frame& frame : got.frames) {
        for (std::size_t i = 0; i < cases.size(); ++i) {
          if (cases[i].filter->matches(frame)) ++expected[i][Bytes(frame.data, frame.data + frame.captured)];
        }
      }
    }
    return received >= frames.size();
  };
  EXPECT_TRUE(wait_for(take));
  ASSERT_EQ(received, frames.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(drain(*cases[i].ring, frames.size()), expected[i]) << cases[i].text;
    EXPECT_EQ(cases[i].ring->counts().offered(), received) << cases[i].text;
  }
}

TEST_F(KernelFilterTest, WhatIsNotTranslatedIsLeftToOthers) {
  const PacketFilter filter("ip6 protochain 6");
  const auto ring = open([&](std::uint16_t link) { return filter.program(link); });
  EXPECT_FALSE(ring->filters());
  WitnessRing witness("capture");
  send({Bytes(64, 2)});
  ASSERT_TRUE(witness.has_seen_frames(1));
  ring->shut();
  EXPECT_EQ(drain(*ring, 1).size(), 1u);
  EXPECT_EQ(ring->counts().filtered, 0u);
}

}  // namespace
}  // namespace warpmeter::test
