// What TLS clients say, of whole ClientHellos, in several records, cut short and broken.
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
using test::operator+;
using test::server_name_extension;

std::string sni(const Bytes& head) { return field_value(FieldKind::tls_sni, head); }

Bytes hello_to(std::string_view name) {
  return client_hello(numbers16({0x1301, 0xc02f}),
                      alpn_extension({"h2"}) + server_name_extension(name) + extension(43, {}));
}

TEST(TlsSni, IsTheNameOfTheServer) {
  EXPECT_EQ(sni(handshake_record(hello_to("example.com"))), "example.com");
  EXPECT_EQ(sni(handshake_record(hello_to("a")) + Bytes{20, 3, 3, 0, 1, 1}), "a");
}

TEST(TlsSni, IsNoneWithoutTheExtensionOrWithoutAName) {
  EXPECT_EQ(sni(handshake_record(client_hello(numbers16({0x1301}), alpn_extension({"h2"})))), "");
  EXPECT_EQ(sni(handshake_record(hello_to(""))), "");
  EXPECT_EQ(sni(handshake_record(client_hello(numbers16({0x1301}), extension(0, {})))), "");
}

TEST(TlsSni, IsOfClientsAlone) {
  Bytes hello = hello_to("example.com");
  EXPECT_EQ(sni(hello), "");  // without a record
  hello[0] = 2;
  EXPECT_EQ(sni(handshake_record(hello)), "");
  Bytes record = handshake_record(hello_to("example.com"));
  record[0] = 23;
  EXPECT_EQ(sni(record), "");
}

TEST(TlsSni, IsFoundAcrossRecords) {
  const Bytes hello = hello_to("example.com");
  for (std::size_t cut = 0; cut <= hello.size(); ++cut) {
    const Bytes first(hello.begin(), hello.begin() + cut), rest(hello.begin() + cut, hello.end());
    EXPECT_EQ(sni(handshake_record(first) + handshake_record({}) + handshake_record(rest)), "example.com") << cut;
  }
}

TEST(TlsSni, IsThereOnceItIsWhole) {
  const Bytes head = handshake_record(hello_to("example.com"));
  EXPECT_EQ(test::bytes_that_give(FieldKind::tls_sni, head, "example.com"),
            head.size() - 4);  // behind it: an extension
}

TEST(TlsSni, LengthsAreHeldToTheEnd) {
  const Bytes head = handshake_record(hello_to("example.com"));
  for (std::size_t at = 0; at < head.size(); ++at) {
    for (const std::uint8_t wrong : Bytes{0, 1, 127, 255}) {
      Bytes broken = head;
      broken[at] = wrong;
      EXPECT_LE(sni(broken).size(), head.size()) << at;
    }
  }
}

std::string alpn(const Bytes& extensions) {
  return field_value(FieldKind::tls_alpn, handshake_record(client_hello(numbers16({0x1301}), extensions)));
}

TEST(TlsAlpn, IsWhatTheClientOffersInItsOrder) {
  EXPECT_EQ(alpn(server_name_extension("a") + alpn_extension({"h2", "http/1.1"})), "h2;http/1.1");
  EXPECT_EQ(alpn(alpn_extension({"http/1.1"}) + extension(43, {})), "http/1.1");
  EXPECT_EQ(alpn(server_name_extension("a")), "");
  EXPECT_EQ(alpn(alpn_extension({})), "");
}

TEST(TlsAlpn, IsNoneWhereItsLengthsDisagree) {
  EXPECT_EQ(alpn(extension(16, {0, 3, 3, 'h', '2'})), "");
  EXPECT_EQ(alpn(extension(16, {0, 9, 2, 'h', '2'})), "");
  EXPECT_EQ(alpn(extension(16, {0})), "");
}

TEST(TlsAlpn, IsThereOnceItIsWhole) {
  const Bytes head =
      handshake_record(client_hello(numbers16({0x1301}), alpn_extension({"h2", "http/1.1"}) + extension(43, {})));
  EXPECT_EQ(test::bytes_that_give(FieldKind::tls_alpn, head, "h2;http/1.1"), head.size() - 4);
}

}  // namespace
}  // namespace warpmeter
