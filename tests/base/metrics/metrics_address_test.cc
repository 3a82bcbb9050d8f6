// What --metrics takes: the loopback address unless another one is named.
#include "base/metrics/metrics_address.h"

#include <gtest/gtest.h>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

TEST(MetricsAddress, LoopbackUnlessNamed) {
  EXPECT_EQ(parse_metrics_address("9100").name(), "127.0.0.1:9100");
  EXPECT_EQ(parse_metrics_address(":9100").name(), "127.0.0.1:9100");
  EXPECT_EQ(parse_metrics_address("localhost:1").name(), "127.0.0.1:1");
  EXPECT_EQ(parse_metrics_address("0.0.0.0:9100").name(), "0.0.0.0:9100");
  EXPECT_EQ(parse_metrics_address("[::1]:65535").name(), "[::1]:65535");
}

TEST(MetricsAddress, AnythingElseIsRefused) {
  for (const char* text :
       {"", ":", "x", "65536", "-1", "9100x", "::1:9100", "[::1]", "[]:1", "host:9100", "1.2.3:4", " 1"}) {
    EXPECT_THROW(parse_metrics_address(text), Error) << text;
  }
}

TEST(MetricsName, IsAHostAlone) {
  EXPECT_EQ(parse_metrics_name("Meter.Example"), "meter.example");
  EXPECT_EQ(parse_metrics_name("meter.example."), "meter.example");
  for (const char* wrong : {"", "meter:9100", "[::1]", ":"}) EXPECT_THROW(parse_metrics_name(wrong), Error) << wrong;
}

}  // namespace
}  // namespace warpmeter
