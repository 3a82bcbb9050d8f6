// Names in the Initial packets of QUIC clients: the samples of the RFCs, hellos in pieces, and datagrams that are
// broken.
#include "policy/fields/quic_initial.h"

#include <gtest/gtest.h>

#include "policy/fields/heads.h"
#include "policy/fields/quic_samples.h"

#if WARPMETER_HAVE_NETTLE
#include "support/quic_initial_packet.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::crypto_frame;
using test::protect;
using test::QuicInitial;
using test::operator+;

std::string quic_name(const Bytes& datagram) { return field_value(FieldKind::quic_sni, datagram); }

Bytes hello() {
  return test::client_hello(test::numbers16({0x1301}),
                            test::alpn_extension({"h3"}) + test::server_name_extension("example.com"), 0x0303);
}

Bytes piece(std::size_t from, std::size_t to) {
  const Bytes whole = hello();
  return crypto_frame(from, Bytes(whole.begin() + from, whole.begin() + to));
}

TEST(QuicSni, OfTheSamplesOfTheRfcs) {
  for (const auto* sample : {test::kQuicSampleOne, test::kQuicSampleTwo}) {
    const Bytes datagram = test::from_hex(sample);
    EXPECT_EQ(quic_name(datagram), "example.com");
    EXPECT_EQ(field_value(FieldKind::tls_alpn, datagram), "alpn");
    EXPECT_EQ(field_value(FieldKind::tls_ja4, datagram), "q13d0211an_62ed6f6ca7ad_4d634acda6c0");
    EXPECT_EQ(field_value(FieldKind::tls_sni, datagram), "");
  }
}

TEST(QuicSni, IsNoneWhereAnyByteOfThePacketHasChanged) {
  const Bytes datagram = test::from_hex(test::kQuicSampleTwo);
  for (std::size_t at = 0; at < datagram.size(); ++at) {
    Bytes changed = datagram;
    changed[at] ^= 0x10;
    EXPECT_EQ(quic_name(changed), "") << at;
  }
}

TEST(QuicSni, IsNoneWhereTheDatagramIsCutShort) {
  const Bytes datagram = test::from_hex(test::kQuicSampleOne);
  EXPECT_EQ(test::bytes_that_give(FieldKind::quic_sni, datagram, "example.com"), datagram.size());
}

TEST(QuicSni, OfPiecesInAnyOrder) {
  const std::size_t end = hello().size();
  const Bytes padding(20, 0), ping = {1};
  const Bytes frames = piece(60, end) + padding + ping + piece(10, 60) + piece(0, 10);
  EXPECT_EQ(quic_name(protect({.frames = frames})), "example.com");
  EXPECT_EQ(quic_name(protect({.version = 2, .frames = frames})), "example.com");
}

TEST(QuicSni, IsNoneWhereAPieceIsMissing) {
  const std::size_t end = hello().size();
  EXPECT_EQ(quic_name(protect({.frames = piece(0, 20) + piece(21, end)})), "");
  EXPECT_EQ(quic_name(protect({.frames = piece(1, end)})), "");
  EXPECT_EQ(quic_name(protect({.frames = piece(0, end - 1)})), "");
}

TEST(QuicSni, OfBytesThatComeTwiceTheFirstStay) {
  const Bytes other(60, 'x');
  EXPECT_EQ(quic_name(protect({.frames = piece(0, hello().size()) + crypto_frame(0, other)})), "example.com");
  EXPECT_EQ(quic_name(protect({.frames = crypto_frame(0, other) + piece(0, hello().size())})), "");
}

TEST(QuicSni, OfSeveralPacketsInADatagram) {
  const std::size_t end = hello().size();
  const QuicInitial second = {.frames = piece(0, 50), .number = 1};
  EXPECT_EQ(quic_name(protect({.frames = piece(50, end)}) + protect(second)), "example.com");
  const Bytes zero_rtt = Bytes{0xd0, 0, 0, 0, 1, 1, 7, 0, 5} + Bytes(5, 9);  // 5 bytes behind its header
  EXPECT_EQ(quic_name(zero_rtt + protect({.frames = piece(0, end)})), "example.com");
  QuicInitial stranger = second;
  stranger.destination_id = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(quic_name(protect({.frames = piece(50, end)}) + protect(stranger)), "");
}

TEST(QuicSni, OfDatagramsThatStandOneBehindTheOther) {
  const Bytes filling(300, 0);
  const Bytes first = protect({.frames = piece(70, hello().size())}) + filling;
  const Bytes second = protect({.frames = piece(0, 70), .number = 1}) + filling;
  EXPECT_EQ(quic_name(first), "");
  EXPECT_EQ(quic_name(second), "");
  EXPECT_EQ(quic_name(first + second), "example.com");
}

TEST(QuicSni, WithTokenAndIdsOfEveryLength) {
  const Bytes frames = piece(0, hello().size());
  for (const std::size_t size : {0, 1, 20}) {
    const Bytes id(size, 5);
    EXPECT_EQ(quic_name(protect({.destination_id = id, .source_id = id, .token = Bytes(300, 1), .frames = frames})),
              "example.com");
  }
  EXPECT_EQ(quic_name(protect({.destination_id = Bytes(21, 5), .frames = frames})), "");
}

TEST(QuicSni, PassesOverFramesThatAnInitialPacketMayHave) {
  const Bytes whole = piece(0, hello().size());
  EXPECT_EQ(quic_name(protect({.frames = Bytes{2, 5, 0, 1, 0, 1, 0} + whole})), "example.com");  // ACK, two ranges
  EXPECT_EQ(quic_name(protect({.frames = Bytes{3, 5, 0, 0, 0, 1, 1, 1} + whole})),
            "example.com");  // ACK with counts of ECN
  EXPECT_EQ(quic_name(protect({.frames = Bytes{0x1c, 0x0a, 6, 2, 'n', 'o'} + whole})),
            "example.com");                                            // CONNECTION_CLOSE
  EXPECT_EQ(quic_name(protect({.frames = Bytes{8, 0} + whole})), "");  // STREAM: it may not
}

TEST(QuicSni, NumbersOfFramesAreHeldToTheEnd) {
  const Bytes most(8, 0xff), frames = piece(0, hello().size());
  EXPECT_EQ(quic_name(protect({.frames = frames + Bytes{6} + most + most})), "example.com");
  EXPECT_EQ(quic_name(protect({.frames = frames + Bytes{6} + most + Bytes{4, 1, 2, 3, 4}})), "example.com");
  EXPECT_EQ(quic_name(protect({.frames = frames + Bytes{2} + most + most + most + most})), "example.com");
  EXPECT_EQ(quic_name(protect({.frames = Bytes{6, 0} + most + frames})), "");
}

TEST(QuicSni, IsNoneOfOtherDatagrams) {
  EXPECT_EQ(quic_name({}), "");
  EXPECT_EQ(quic_name(Bytes(1200, 0xff)), "");
  EXPECT_EQ(quic_name(Bytes(1200, 0)), "");
  EXPECT_EQ(quic_name({0xc0, 0, 0, 0, 1, 0, 0, 0, 0}), "");  // no bytes behind the header
  EXPECT_EQ(quic_name({0xf0, 0, 0, 0, 1, 0, 0, 5, 5}), "");  // a Retry
  EXPECT_EQ(quic_name(test::handshake_record(hello())), "");
}

}  // namespace
}  // namespace warpmeter
#endif
