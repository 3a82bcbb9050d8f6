// Fingerprints of TLS clients: FoxIO's example, and each of its rules.
#include "policy/fields/client_hello.h"

#include <gtest/gtest.h>

#include "policy/fields/heads.h"

namespace warpmeter {
namespace {

using test::alpn_extension;
using test::Bytes;
using test::client_hello;
using test::extension;
using test::handshake_record;
using test::numbers16;
using test::server_name_extension;
using test::operator+;

class Ja4 : public testing::Test {
 protected:
  void SetUp() override {
    if (!field_kind("tls.ja4")) GTEST_SKIP() << "a build with libnettle runs this";
  }
};

std::string ja4(const Bytes& hello) { return field_value(FieldKind::tls_ja4, handshake_record(hello)); }

Bytes suites() {
  return numbers16({0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8, 0xc013, 0xc014, 0x009c,
                    0x009d, 0x002f, 0x0035});
}

Bytes signature_algorithms() {
  return extension(0x000d,
                   test::with_length(2, numbers16({0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601})));
}

Bytes versions(std::initializer_list<unsigned> list) {
  return extension(0x002b, test::with_length(1, numbers16(list)));
}

// Those of the example, in its order, with the contents that count.
Bytes extensions(const Bytes& algorithms) {
  Bytes all =
      extension(0x001b, {}) + server_name_extension("a") + extension(0x0033, {}) + alpn_extension({"h2", "http/1.1"});
  all = all + extension(0x4469, {}) + extension(0x0017, {}) + extension(0x002d, {}) + algorithms;
  for (const unsigned kind : {0x0005, 0x0023, 0x0012}) all = all + extension(kind, {});
  all = all + versions({0x0304, 0x0303});
  for (const unsigned kind : {0xff01, 0x000b, 0x000a, 0x0015}) all = all + extension(kind, {});
  return all;
}

TEST_F(Ja4, IsThatOfItsExample) {
  EXPECT_EQ(ja4(client_hello(suites(), extensions(signature_algorithms()))), "t13d1516h2_8daaf6152771_e5627efa2ab1");
}

TEST_F(Ja4, LeavesOutWhatClientsOfferAtRandom) {
  const Bytes algorithms = extension(
      0x000d,
      test::with_length(2, numbers16({0x2a2a, 0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601})));
  Bytes all = extension(0x1a1a, {}) + extensions(algorithms) + extension(0xfafa, {0});
  EXPECT_EQ(ja4(client_hello(numbers16({0x0a0a}) + suites(), all)), "t13d1516h2_8daaf6152771_e5627efa2ab1");
  all = versions({0xeaea, 0x0303, 0x0302});
  EXPECT_EQ(ja4(client_hello(suites(), all)).substr(0, 10), "t12i150100");
  EXPECT_EQ(ja4(client_hello(numbers16({0x0a1a, 0x1a0a}), {})).substr(4, 2), "02");
}

TEST_F(Ja4, WithoutSignatureAlgorithmsTheListHasNoUnderscore) {
  EXPECT_EQ(ja4(client_hello(suites(), extensions(extension(0x000d, {})))), "t13d1516h2_8daaf6152771_6d807ffa2a79");
}

TEST_F(Ja4, OfEmptyListsIsZeros) {
  EXPECT_EQ(ja4(client_hello({}, {})), "t12i000000_000000000000_000000000000");
  EXPECT_EQ(ja4(client_hello({}, server_name_extension("a") + alpn_extension({"h2"}))),
            "t12d0002h2_000000000000_000000000000");
}

TEST_F(Ja4, VersionIsTheHighestOfferedOrElseThatOfTheMessage) {
  const auto word = [](unsigned version) { return ja4(client_hello({}, {}, version)).substr(1, 2); };
  EXPECT_EQ(word(0x0303), "12");
  EXPECT_EQ(word(0x0302), "11");
  EXPECT_EQ(word(0x0301), "10");
  EXPECT_EQ(word(0x0300), "s3");
  EXPECT_EQ(word(0x7f1c), "00");
  EXPECT_EQ(ja4(client_hello({}, versions({0x0303, 0x0304}), 0x0303)).substr(1, 2), "13");
}

TEST_F(Ja4, CountsStopAt99) {
  Bytes many;
  for (unsigned i = 0; i < 120; ++i) many = many + numbers16({0x1000 + i});
  EXPECT_EQ(ja4(client_hello(many, {})).substr(4, 4), "9900");
}

TEST_F(Ja4, EndsOfTheFirstProtocol) {
  const auto ends = [](std::string_view protocol) {
    return ja4(client_hello({}, alpn_extension({protocol, "zz"}))).substr(8, 2);
  };
  EXPECT_EQ(ends("h2"), "h2");
  EXPECT_EQ(ends("http/1.1"), "h1");
  EXPECT_EQ(ends("a"), "aa");
  EXPECT_EQ(ends("\xab"), "ab");
  EXPECT_EQ(ends(" "), "20");
  EXPECT_EQ(ends("\xab\xcd"), "ad");
  EXPECT_EQ(ends(" a"), "21");
  EXPECT_EQ(ends("0\xab"), "3b");
  EXPECT_EQ(ends("a "), "60");
  EXPECT_EQ(ends("01\xab\xcd"), "3d");
  EXPECT_EQ(ends("0\xab\xcd"
                 "1"),
            "01");
  EXPECT_EQ(ends(""), "00");
}

TEST_F(Ja4, IsThereOnceAllOfTheHelloIs) {
  const Bytes head = handshake_record(client_hello(suites(), extensions(signature_algorithms())));
  EXPECT_EQ(test::bytes_that_give(FieldKind::tls_ja4, head, "t13d1516h2_8daaf6152771_e5627efa2ab1"), head.size());
}

TEST_F(Ja4, IsNoneWhereLengthsDisagree) {
  Bytes hello = client_hello(suites(), extensions(signature_algorithms()));
  hello[38] = 255;  // a session id that would reach behind the end
  EXPECT_EQ(ja4(hello), "");
  EXPECT_EQ(ja4(client_hello({0x13}, {})), "");  // half a cipher suite
  EXPECT_EQ(ja4(client_hello(suites(), {0, 1, 0, 9})), "");
}

}  // namespace
}  // namespace warpmeter
