// Which interfaces are obviously nobody's but a capture's.
#include "packet/nic/xdp/interface_use.h"

#include <gtest/gtest.h>

#include "packet/nic/xdp/wire.h"

namespace warpmeter::test {
namespace {

TEST(InterfaceUse, OfAHostIsSeen) {
  if (!make_wire(1500)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  EXPECT_EQ(use_by_host(find_interface("lo")), "the host talks to itself by it");
  EXPECT_FALSE(has_ip_address(find_interface("capture")));
  // The files of another namespace are no answer.
  EXPECT_EQ(use_by_host(find_interface("capture")), kUnknownUse);
  ASSERT_TRUE(run_quietly("ip address add 192.0.2.1/24 dev capture"));
  EXPECT_TRUE(has_ip_address(find_interface("capture")));
  EXPECT_EQ(use_by_host(find_interface("capture")), "it has an IP address");
  ASSERT_TRUE(run_quietly("ip link set capture down"));
  EXPECT_EQ(use_by_host(find_interface("capture")), "it is down");
}

TEST(InterfaceUse, QueuesAndSizes) {
  if (!make_wire(4000)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  EXPECT_EQ(receive_queues(find_interface("capture")), 1u);
  EXPECT_EQ(receive_queues(find_interface("lo")), 1u);
  EXPECT_EQ(longest_frame(find_interface("capture")), 4022u);
}

}  // namespace
}  // namespace warpmeter::test
