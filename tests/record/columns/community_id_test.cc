// Community IDs that the published implementations give; tests/e2e/extract/community_id.sh computes others
// independently.
#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

#include "support/extra_columns.h"
#include "support/keys.h"

namespace warpmeter {
namespace {

struct Endpoints {
  const char *source, *destination;
  int source_port, destination_port;
};

// Of ICMP the ports are type and code, as in the published vectors.
std::string id(std::uint8_t protocol, const Endpoints& e, std::uint16_t seed = 0) {
  const bool icmp = protocol == kProtocolIcmp || protocol == kProtocolIcmpV6;
  FlowRecord record;
  FlowKey& key = record.key;
  key.version = std::string(e.source).find(':') == std::string::npos ? 4 : 6;
  inet_pton(key.version == 4 ? AF_INET : AF_INET6, e.source, key.source);
  inet_pton(key.version == 4 ? AF_INET : AF_INET6, e.destination, key.destination);
  key.protocol = protocol;
  const int destination = icmp ? e.source_port * 256 + e.destination_port : e.destination_port;
  test::set_number(key.source_port, static_cast<std::uint16_t>(icmp ? 0 : e.source_port));
  test::set_number(key.destination_port, static_cast<std::uint16_t>(destination));
  const auto column = test::extra_column("community_id", seed);
  std::string text(column->most(), ' ');
  EXPECT_EQ(column->write(text.data(), record), text.data() + text.size());
  return text;
}

TEST(CommunityId, OfTcpUdpAndSctp) {
  EXPECT_EQ(id(6, {"128.232.110.120", "66.35.250.204", 34855, 80}), "1:LQU9qZlK+B5F3KDmev6m5PMibrg=");
  EXPECT_EQ(id(6, {"66.35.250.204", "128.232.110.120", 80, 34855}), "1:LQU9qZlK+B5F3KDmev6m5PMibrg=");
  EXPECT_EQ(id(17, {"192.168.1.52", "8.8.8.8", 54585, 53}), "1:d/FP5EW3wiY1vCndhwleRRKHowQ=");
  EXPECT_EQ(id(132, {"192.168.170.8", "192.168.170.56", 7, 7}), "1:MP2EtRCAUIZvTw6MxJHLV7N7JDs=");
  EXPECT_EQ(id(6, {"2001:db8::1", "2001:db8::2", 1, 65535}), "1:X7u/wcKluj8V9FKnNhlFdxlQaTM=");
}

TEST(CommunityId, OrdersPortsOfOneAddress) {
  EXPECT_EQ(id(6, {"10.0.0.1", "10.0.0.1", 9, 5}), "1:n8YIsyd6FjUbQ7cJZcY75bi6O98=");
  EXPECT_EQ(id(6, {"10.0.0.1", "10.0.0.1", 5, 9}), "1:n8YIsyd6FjUbQ7cJZcY75bi6O98=");
}

TEST(CommunityId, OfIcmpIsThatOfTheAnswer) {
  EXPECT_EQ(id(1, {"192.168.0.89", "192.168.0.1", 8, 0}), "1:X0snYXpgwiv9TZtqg64sgzUn6Dk=");
  EXPECT_EQ(id(1, {"192.168.0.1", "192.168.0.89", 0, 0}), "1:X0snYXpgwiv9TZtqg64sgzUn6Dk=");
  EXPECT_EQ(id(1, {"10.0.0.9", "10.0.0.1", 10, 0}), "1:7nu8MdBSNSQB+NOoc+CbCPYKhEM=");
  EXPECT_EQ(id(1, {"10.0.0.9", "10.0.0.1", 13, 0}), "1:KOx2rCkaKRETIj7nGU9P3+gFAMU=");
  EXPECT_EQ(id(58, {"fe80::200:86ff:fe05:80da", "fe80::260:97ff:fe07:69ea", 135, 0}), "1:dGHyGvjMfljg6Bppwm3bg0LO8TY=");
  EXPECT_EQ(id(58, {"fe80::260:97ff:fe07:69ea", "fe80::200:86ff:fe05:80da", 136, 0}), "1:dGHyGvjMfljg6Bppwm3bg0LO8TY=");
}

TEST(CommunityId, OfIcmpWithoutAnAnswerKeepsTheDirection) {
  EXPECT_EQ(id(1, {"192.168.0.89", "192.168.0.1", 3, 1}), "1:LXCfhMUFbYXe+CEMrQuZCbiLY3o=");
  EXPECT_EQ(id(1, {"192.168.0.1", "192.168.0.89", 3, 1}), "1:o3zT92uTgnRWv/YrDVeXcWumpC4=");
  EXPECT_EQ(id(58, {"fe80::2", "fe80::1", 143, 0}), "1:OwvuJx9ZGcH9+KW6Uh+JjZX2II8=");
}

TEST(CommunityId, OfOtherProtocolsHasNoPorts) {
  EXPECT_EQ(id(47, {"10.1.24.4", "10.1.12.1", 0, 0}), "1:6JFBmF1p0LABA19nAHNSi9mGLPM=");
  EXPECT_EQ(id(47, {"10.1.12.1", "10.1.24.4", 0, 0}), "1:6JFBmF1p0LABA19nAHNSi9mGLPM=");
  EXPECT_EQ(id(kProtocolUdpLite, {"10.0.0.1", "10.0.0.2", 1, 2}), id(kProtocolUdpLite, {"10.0.0.1", "10.0.0.2", 3, 4}));
}

TEST(CommunityId, DependsOnTheSeed) {
  EXPECT_EQ(id(6, {"128.232.110.120", "66.35.250.204", 34855, 80}, 1), "1:3V71V58M3Ksw/yuFALMcW0LAHvc=");
  EXPECT_EQ(id(6, {"128.232.110.120", "66.35.250.204", 34855, 80}, 65535), "1:/d+eV/2yBj6+sghh46Zm3KWWZCM=");
}

}  // namespace
}  // namespace warpmeter
