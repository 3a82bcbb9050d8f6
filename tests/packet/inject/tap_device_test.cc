// TAP devices, in a network namespace of the test's own.
#include "packet/inject/tap_device.h"

#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "packet/inject/frame_writer.h"
#include "packet/nic/ring/packet_ring.h"
#include "support/numbered_datagrams.h"
#include "support/packets.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

class TapDeviceTest : public testing::Test {
 protected:
  void SetUp() override {
    static const int error = enter_empty_namespace() ? 0 : errno;
    if (error) {
      GTEST_SKIP() << "the right to make a network namespace (root has it) runs this: " << std::strerror(error);
    }
    try {
      tap_.emplace("tap0", "", 1400);
    } catch (const Error& refused) {
      GTEST_SKIP() << "a system with TAP devices runs this: " << refused.what();
    }
  }

  std::optional<TapDevice> tap_;
};

// Sends through the TAP's own interface what a program reads of it.
TEST_F(TapDeviceTest, GivesWhatIsSentThere) {
  EXPECT_TRUE(tap_->is_made_here());
  EXPECT_EQ(tap_->mtu(), 1400u);
  const NetworkInterface interface = find_interface("tap0");
  EXPECT_TRUE(interface.is_up);
  EXPECT_EQ(mtu_of(interface), 1400u);
  const Descriptor wire = open_wire_socket(interface);
  FrameWriter writer(wire.get(), "tap0");
  Bytes frame = ethernet(0x0800, ip4({}, Bytes(100, 7)));
  writer.write({}, frame.data(), frame.size());
  EXPECT_EQ(writer.counts().frames, 1u);
  VnetHeader header;
  std::array<std::uint8_t, 2048> got;
  for (;;) {  // the kernel may say something of its own
    pollfd wanted{.fd = tap_->fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(poll(&wanted, 1, 5000), 1);
    const std::size_t size = tap_->read(header, got);
    if (size != frame.size()) continue;
    EXPECT_EQ(std::memcmp(got.data(), frame.data(), size), 0);
    EXPECT_FALSE(header.has_segments());
    break;
  }
  Bytes long_frame = ethernet(0x0800, ip4({}, Bytes(1500, 7)));  // longer than its MTU
  writer.write({}, long_frame.data(), long_frame.size());
  EXPECT_EQ(writer.counts().refused, 1u);
}

// A super-packet comes in as one, with what its header says; a ring that is asked for whole frames gives it so.
TEST_F(TapDeviceTest, SuperPacketComesInAsOne) {
  PacketRing ring(find_interface("tap0"), 0, {.bytes = 512 << 10, .block_ms = 1, .whole = true}, std::nullopt);
  FrameWriter writer(tap_->fd(), "tap0");
  Bytes frame = ethernet(0x0800, ip4({}, tcp({.checksum = 0}, Bytes(3000, 1))));
  const VnetHeader header{.flags = VnetHeader::kNeedsChecksum,
                          .type = VnetHeader::kTcp4,
                          .header_bytes = 54,
                          .segment_bytes = 1000,
                          .checksum_start = 34,
                          .checksum_offset = 16};
  writer.write(header, frame.data(), frame.size());
  ASSERT_EQ(writer.counts().frames, 1u);
  for (int i = 0; i < 5000; ++i) {
    std::vector<WholeFrame> frames;
    if (auto block = ring.next()) ring.whole_frames_of(*block, 1000, frames);
    for (const WholeFrame& whole : frames) {
      if (whole.frame.captured != frame.size()) continue;
      EXPECT_TRUE(whole.header.needs_checksum());
      EXPECT_EQ(whole.header.type, VnetHeader::kTcp4);
      EXPECT_EQ(whole.header.segment_bytes, 1000);
      EXPECT_EQ(whole.header.checksum_start, 34);
      EXPECT_EQ(std::memcmp(whole.frame.data, frame.data(), 54), 0);
      return;
    }
    usleep(1000);
  }
  FAIL() << "it never came";
}

TEST_F(TapDeviceTest, SaysThatItIsGone) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  // A second user is refused.
  EXPECT_NE(thrown_text([] { TapDevice("tap0", "", 1400); }).find("tap0"), std::string::npos);
  EXPECT_NE(thrown_text([] { TapDevice("lo", "", 1400); }).find("lo: it is no TAP device"), std::string::npos);
  EXPECT_NE(thrown_text([] { TapDevice("tap1", "nowhere", 1400); }).find("network namespace nowhere: "),
            std::string::npos);
  EXPECT_NE(thrown_text([] { TapDevice("a.name.that.is.too.long", "", 1400); }).find("no name"), std::string::npos);
  FrameWriter writer(tap_->fd(), "tap0");
  ifreq down{};
  std::strcpy(down.ifr_name, "tap0");
  ASSERT_EQ(ioctl(fd, SIOCSIFFLAGS, &down), 0);
  Bytes frame = ethernet(0x0800, ip4({}, Bytes(100, 7)));
  writer.write({}, frame.data(), frame.size());
  EXPECT_EQ(writer.counts().down, 1u);
  close(fd);
}

// One at a time, whether it is up or not, and another interface is another one's.
TEST_F(TapDeviceTest, AnInterfaceIsClaimedOnce) {
  const NetworkInterface interface = find_interface("tap0");
  const auto refusal = [&interface] { return thrown_text([&] { claim_wire(interface); }); };
  std::optional<Descriptor> claim = claim_wire(interface);
  EXPECT_EQ(refusal(), "tap0: another warpmeter coalesce forwards its packets");
  const TapDevice other("tap1", "", 1400);
  EXPECT_TRUE(claim_wire(find_interface("tap1")));
  const Descriptor sender = open_wire_socket(interface);  // is no claim
  claim.reset();
  EXPECT_EQ(refusal(), "");
  const Descriptor asks(socket(AF_INET, SOCK_DGRAM, 0));
  ifreq down{};
  std::strcpy(down.ifr_name, "tap0");
  ASSERT_EQ(ioctl(asks.get(), SIOCSIFFLAGS, &down), 0);
  claim = claim_wire(interface);
  EXPECT_EQ(refusal(), "tap0: another warpmeter coalesce forwards its packets");
}

}  // namespace
}  // namespace warpmeter::test
