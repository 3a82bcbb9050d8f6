// The words of a policy file, and values as outputs show them.
#include "policy/fields/field_kind.h"

#include <gtest/gtest.h>

#include "policy/fields/heads.h"

namespace warpmeter {
namespace {

TEST(FieldKinds, HaveAWordEach) {
  for (const auto* word : {"tls.sni", "tls.alpn", "tls.ja4", "http.host", "dns.name", "quic.sni", "ssh.banner"}) {
    const auto kind = field_kind(word);
#if !WARPMETER_HAVE_NETTLE
    if (std::string_view(word) == "tls.ja4" || std::string_view(word) == "quic.sni") {
      EXPECT_FALSE(kind) << word;
      continue;
    }
#endif
    ASSERT_TRUE(kind) << word;
    EXPECT_EQ(word_of(*kind), word);
  }
  EXPECT_FALSE(field_kind("tls"));
  EXPECT_FALSE(field_kind(""));
  EXPECT_FALSE(field_kind("TLS.SNI"));
}

TEST(FieldKinds, AreTakenFromTheHeadAlone) {
  const std::string request = "GET /" + std::string(kFieldHead - 30, 'x') + " HTTP/1.1\r\n";
  const std::string field = "Host: a\r\n\r\n";
  const std::size_t room = kFieldHead - request.size();
  ASSERT_GT(room, field.size());
  EXPECT_EQ(field_value(FieldKind::http_host, test::bytes_of(request + field)), "a");
  EXPECT_EQ(field_value(FieldKind::http_host, test::bytes_of(request + std::string(room - 4, ' ') + field)), "");
}

TEST(PrintableField, ShowsWhatNoOutputTakesForItsOwn) {
  EXPECT_EQ(printable_field("www.example.com"), "www.example.com");
  EXPECT_EQ(printable_field("a,b\"c\\d e"), "a\\x2cb\\x22c\\x5cd\\x20e");
  EXPECT_EQ(printable_field(std::string_view("\0\x1f!~\x7f\xc3\xa9", 7)), "\\x00\\x1f!~\\x7f\\xc3\\xa9");
  EXPECT_EQ(printable_field(""), "");
}

TEST(PrintableField, OfLongValuesShowsTheBeginning) {
  EXPECT_EQ(printable_field(std::string(300, 'a')), std::string(kFieldLength, 'a'));
  EXPECT_EQ(printable_field(std::string(300, '\n')).size(), 4 * kFieldLength);
}

}  // namespace
}  // namespace warpmeter
