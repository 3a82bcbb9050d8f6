// Which names in a Host header are ours.
#include "base/metrics/metrics_address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace warpmeter {
namespace {

TEST(HostOf, IsTheNameWithoutThePort) {
  EXPECT_EQ(host_of("localhost:9100"), "localhost");
  EXPECT_EQ(host_of("Host1.Example."), "host1.example");
  EXPECT_EQ(host_of("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(host_of("[::1]:9100"), "::1");
  EXPECT_EQ(host_of("[::1"), "");
  EXPECT_EQ(host_of(""), "");
  EXPECT_EQ(host_of(":80"), "");
  EXPECT_EQ(host_of(std::string(300, 'a')), "");
}

TEST(OwnHost, KnowsThisMachineAndWhatWasAdded) {
  const std::vector<std::string> names{"metrics.example"};
  for (const char* own : {"localhost", "127.0.0.1", "127.8.0.1", "::1", "0:0::1", "metrics.example"}) {
    EXPECT_TRUE(is_own_host(own, -1, names)) << own;
  }
  for (const char* other : {"", "x", "evil.example", "localhost.evil.example", "192.0.2.1", "127.0.0.1.evil.example",
                            "example", "127.1", "2130706433"}) {
    EXPECT_FALSE(is_own_host(other, -1, names)) << other;
  }
  std::array<char, 300> name{};
  ASSERT_EQ(gethostname(name.data(), name.size() - 1), 0);
  if (!host_of(name.data()).empty()) EXPECT_TRUE(is_own_host(host_of(name.data()), -1, names)) << name.data();
}

// Of a server of all addresses, the one that the client has chosen.
TEST(OwnHost, KnowsTheAddressOfTheConnection) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_ANY);
  ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at), 0);
  EXPECT_TRUE(is_own_host("0.0.0.0", socket, {}));
  EXPECT_FALSE(is_own_host("192.0.2.1", socket, {}));
  EXPECT_FALSE(is_own_host("::", socket, {}));
  close(socket);
}

}  // namespace
}  // namespace warpmeter
