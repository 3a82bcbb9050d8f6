// Collectors' addresses as users write them, rightly and wrongly.
#include "record/collector/collector_options.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::thrown_text;

TEST(CollectorAddress, ReadsHostAndPort) {
  const CollectorAddress udp = parse_collector("udp://collector.example:9995");
  EXPECT_EQ(udp.transport, TransportProtocol::udp);
  EXPECT_EQ(udp.host, "collector.example");
  EXPECT_EQ(udp.port, 9995);
  EXPECT_EQ(parse_collector("tcp://10.0.0.1:1").transport, TransportProtocol::tcp);
}

TEST(CollectorAddress, HasDefaultPorts) {
  EXPECT_EQ(parse_collector("tcp://10.0.0.1").port, 4739);
  EXPECT_EQ(parse_collector("udp://[::1]").port, 4739);
  EXPECT_EQ(parse_collector("udp://h", ExportProtocol::netflow_v9).port, 2055);
}

TEST(CollectorAddress, ReadsIpv6InBrackets) {
  const CollectorAddress address = parse_collector("tcp://[2001:db8::1]:65535");
  EXPECT_EQ(address.host, "2001:db8::1");
  EXPECT_EQ(address.port, 65535);
}

TEST(CollectorAddress, NamesItselfAsItWasWritten) {
  EXPECT_EQ(parse_collector("tcp://[2001:db8::1]:9").name(), "collector tcp://[2001:db8::1]:9");
  EXPECT_EQ(parse_collector("udp://h").name(), "collector udp://h:4739");
}

TEST(CollectorAddress, SaysWhatIsWrong) {
  const auto text = [](const char* address) { return thrown_text([&] { parse_collector(address); }); };
  EXPECT_EQ(text("host:1"), "collector host:1: say udp://HOST:PORT or tcp://HOST:PORT");
  EXPECT_EQ(text(""), "collector : say udp://HOST:PORT or tcp://HOST:PORT");
  EXPECT_EQ(text("sctp://h"), "collector sctp://h: say udp://HOST:PORT or tcp://HOST:PORT");
  EXPECT_EQ(text("udp://"), "collector udp://: no host");
  EXPECT_EQ(text("udp://:7"), "collector udp://:7: no host");
  EXPECT_EQ(text("udp://[]:7"), "collector udp://[]:7: no host");
  EXPECT_EQ(text("udp://h:"), "collector udp://h:: '' is no port: 1 to 65535");
  EXPECT_EQ(text("udp://h:0"), "collector udp://h:0: '0' is no port: 1 to 65535");
  EXPECT_EQ(text("udp://h:65536"), "collector udp://h:65536: '65536' is no port: 1 to 65535");
  EXPECT_EQ(text("udp://h:7x"), "collector udp://h:7x: '7x' is no port: 1 to 65535");
  EXPECT_EQ(text("udp://h/x"), "collector udp://h/x: 'h/x' is no host");
  EXPECT_EQ(text("udp://[::1"), "collector udp://[::1: an IPv6 address goes in brackets: udp://[::1]:4739");
  EXPECT_EQ(text("udp://::1"), "collector udp://::1: an IPv6 address goes in brackets: udp://[::1]:4739");
  EXPECT_EQ(text("udp://[::1]7"), "collector udp://[::1]7: after the address in brackets, a colon and a port");
}

TEST(CollectorAddress, NetflowHasNoTcp) {
  EXPECT_EQ(thrown_text([] { parse_collector("tcp://h", ExportProtocol::netflow_v9); }),
            "collector tcp://h: NetFlow v9 goes over UDP only");
}

TEST(CollectorAddress, WrongOnesAreUsageErrors) {
  try {
    parse_collector("host");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
  }
}

}  // namespace
}  // namespace warpmeter
