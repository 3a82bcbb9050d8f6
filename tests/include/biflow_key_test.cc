// The other direction's key, and the key of both.
#include "core/biflow_key.h"

#include <gtest/gtest.h>

#include "support/keys.h"

namespace warpmeter {
namespace {

using test::key_of;

TEST(BiflowKey, ReversedExchangesAddressesAndPorts) {
  const FlowKey key = key_of({.source = {10, 0, 0, 9}, .destination = {10, 0, 0, 2}, .vlan = 7});
  const FlowKey other = key_of(
      {.source = {10, 0, 0, 2}, .destination = {10, 0, 0, 9}, .source_port = 80, .destination_port = 1000, .vlan = 7});
  EXPECT_TRUE(warpmeter::reversed(key) == other);
  EXPECT_TRUE(warpmeter::reversed(other) == key);
  EXPECT_TRUE(undirected(key) == undirected(other));
  EXPECT_TRUE(undirected(key) == other) << "the lesser one";
}

TEST(BiflowKey, IcmpRequestsAndRepliesAnswerEachOther) {
  const auto icmp = [](std::uint8_t protocol, int type, std::uint8_t last) {
    return key_of({.source = {10, 0, 0, last},
                   .destination = {10, 0, 0, static_cast<std::uint8_t>(3 - last)},
                   .source_port = 0,
                   .destination_port = static_cast<std::uint16_t>(type * 256),
                   .protocol = protocol});
  };
  EXPECT_TRUE(warpmeter::reversed(icmp(kProtocolIcmp, 8, 1)) == icmp(kProtocolIcmp, 0, 2));
  EXPECT_TRUE(warpmeter::reversed(icmp(kProtocolIcmp, 0, 2)) == icmp(kProtocolIcmp, 8, 1));
  EXPECT_TRUE(warpmeter::reversed(icmp(kProtocolIcmpV6, 128, 1)) == icmp(kProtocolIcmpV6, 129, 2));
  // "Unreachable" answers nothing: it stays alone.
  EXPECT_TRUE(warpmeter::reversed(icmp(kProtocolIcmp, 3, 1)) == icmp(kProtocolIcmp, 3, 1));
  EXPECT_TRUE(warpmeter::reversed(icmp(kProtocolIcmpV6, 8, 1)) == icmp(kProtocolIcmpV6, 8, 1));
}

TEST(BiflowKey, OrdersKeepBothDirectionsTogether) {
  FlowRecord out, back, stranger;
  out.key = key_of({.source = {10, 0, 0, 1}, .destination = {10, 0, 0, 2}});
  back.key = warpmeter::reversed(out.key);
  stranger.key = key_of({.source = {10, 0, 0, 1}, .destination = {10, 0, 0, 3}});
  out.start_ns = 5;
  back.start_ns = 3;
  out.arrival = 1;
  back.arrival = 2;
  stranger.arrival = 3;
  EXPECT_LT(biflow_arrival_order(out, back), 0) << "by Flow Key";
  EXPECT_GT(biflow_output_order(out, back), 0) << "by start";
  for (const auto order : {biflow_arrival_order, biflow_output_order}) {
    EXPECT_LT(order(out, stranger), 0);
    EXPECT_LT(order(back, stranger), 0);
    EXPECT_GT(order(stranger, back), 0);
    EXPECT_EQ(order(out, out), 0);
  }
}

}  // namespace
}  // namespace warpmeter
