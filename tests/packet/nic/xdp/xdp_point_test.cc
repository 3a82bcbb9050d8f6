// What is said at the start of a capture by AF_XDP.
#include "packet/nic/xdp/xdp_point.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "packet/nic/ring/network_interface.h"
#include "packet/nic/xdp/wire.h"

namespace warpmeter::test {
namespace {

class XdpPointTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!make_wire(1500)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  }

  // Lines about tags; none: the interface cannot be captured from, and what_was_said() is why.
  static std::optional<std::vector<std::string>> said(const XdpOptions& options) {
    try {
      const auto point = open_xdp_point("capture", options);
      std::vector<std::string> lines;
      point->look([&lines](const std::string& line) {
        if (line.find("VLAN") != std::string::npos) lines.push_back(line);
      });
      return lines;
    } catch (const NoXdp& no) {
      what_was_said() = no.reason();
      return {};
    }
  }
};

TEST_F(XdpPointTest, TellsOfTagsThatAreLost) {
  const auto lines = said({.rings = 1, .bytes = 1 << 18, .tags = false});
  if (!lines) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  ASSERT_EQ(lines->size(), 1u);
  EXPECT_EQ(
      lines->front(),
      "capture: VLAN tags that the other end keeps beside frames are lost to AF_XDP (ethtool -K sender txvlan off "
      "tx-vlan-stag-hw-insert off; --ring packet has them)");
}

TEST_F(XdpPointTest, TellsNothingOfTagsThatItHas) {
  const auto lines = said({.rings = 1, .bytes = 1 << 18});
  if (!lines) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  EXPECT_EQ(lines->empty(), tells_vlan_tag(find_interface("capture")));
}

TEST_F(XdpPointTest, KnowsTheOtherEndInItsNamespaceAlone) {
  EXPECT_EQ(name_of_other_end(find_interface("capture")), "sender");
  EXPECT_EQ(name_of_other_end(find_interface("lo")), "");
  // A namespace lives as long as a process in it.
  ASSERT_TRUE(
      run_quietly("unshare -n sleep 10 >/dev/null 2>&1 & ns() { readlink /proc/$1/ns/net; }; "
                  "for i in $(seq 100); do [ \"$(ns $!)\" = \"$(ns self)\" ] || break; sleep 0.02; done; "
                  "if ip link add here type veth peer name sender netns $!; then echo $!; else kill $!; exit 1; fi"));
  const int process = std::stoi(what_was_said());
  EXPECT_EQ(name_of_other_end(find_interface("here")), "");
  kill(process, SIGKILL);
}

}  // namespace
}  // namespace warpmeter::test
