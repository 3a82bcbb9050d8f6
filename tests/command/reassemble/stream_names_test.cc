// Files of streams have tcpflow's names, or those of packets.
#include "command/reassemble/stream_names.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/stream_maker.h"

namespace warpmeter {
namespace {

using test::connection_of;
using test::stream_key;

std::string direction(const TcpConnection& c, StreamSide side, std::uint64_t later = 0,
                      StreamFileNames names = StreamFileNames::endpoints) {
  return std::string(StreamName::of_direction(c, side, names, later).view());
}

TEST(StreamName, OfEndpointsBeginsWithTheOneThatSent) {
  const TcpConnection c = connection_of(5, stream_key());
  EXPECT_EQ(direction(c, StreamSide::client), "010.000.000.001.01000-010.000.000.002.00080");
  EXPECT_EQ(direction(c, StreamSide::server), "010.000.000.002.00080-010.000.000.001.01000");
  EXPECT_EQ(direction(c, StreamSide::client, 12), "010.000.000.001.01000-010.000.000.002.00080c12");
  EXPECT_EQ(StreamName::of_connection(c, StreamFileNames::endpoints, 1).view(),
            "010.000.000.001.01000-010.000.000.002.00080c1");
}

TEST(StreamName, HoldsTheLongestAddressesAndNumbers) {
  FlowKey key;
  key.version = 6;
  inet_pton(AF_INET6, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe", key.source);
  inet_pton(AF_INET6, "::1", key.destination);
  set_port_number(key.source_port, 65535);
  const TcpConnection c = connection_of(1, key);
  EXPECT_EQ(direction(c, StreamSide::client, std::numeric_limits<std::uint64_t>::max()),
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe.65535-::1.00000c18446744073709551615");
  EXPECT_EQ(
      direction(connection_of((std::uint64_t{1} << 48) - 1, key), StreamSide::server, 0, StreamFileNames::numbered),
      "281474976710655-server");
}

TEST(StreamName, OfPacketsSortsByThem) {
  const TcpConnection c = connection_of(1234, stream_key());
  EXPECT_EQ(direction(c, StreamSide::client, 3, StreamFileNames::numbered), "000000001234-client");
  EXPECT_EQ(direction(c, StreamSide::server, 3, StreamFileNames::numbered), "000000001234-server");
  const StreamName name = StreamName::of_connection(c, StreamFileNames::numbered, 3);
  EXPECT_STREQ(name.c_str(), "000000001234");
  TcpConnection third = c;
  third.opened_in_frame = 2;
  EXPECT_EQ(direction(third, StreamSide::client, 3, StreamFileNames::numbered), "000000001234p3-client");
}

}  // namespace
}  // namespace warpmeter
