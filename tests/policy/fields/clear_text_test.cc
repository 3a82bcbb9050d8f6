// Hosts of HTTP requests and names of DNS questions, of whole heads, of their beginnings and of broken ones.
#include <gtest/gtest.h>

#include "policy/fields/heads.h"

namespace warpmeter {
namespace {

std::string host(std::string_view head) { return field_value(FieldKind::http_host, test::bytes_of(head)); }

std::string name(const test::Bytes& head) { return field_value(FieldKind::dns_name, head); }

// A DNS message with one question, whose name is put together from `labels`.
test::Bytes question(std::initializer_list<std::string_view> labels, unsigned questions = 1) {
  test::ByteWriter message;
  message.u16(0x1234).u16(0x0100).u16(questions).u16(0).u32(0);
  for (const std::string_view label : labels) message.bytes(test::with_length(1, test::bytes_of(label)));
  message.u8(0).u16(1).u16(1);
  return message.data();
}

TEST(HttpHost, IsTheFieldOfThatName) {
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"), "example.com");
  EXPECT_EQ(host("GET / HTTP/1.1\r\nAccept: */*\r\nhOsT:\texample.com:80 \r\n\r\n"), "example.com:80");
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHost : a\r\nHost: b\r\n\r\n"), "a");
}

TEST(HttpHost, IsNoneWhereThereIsNoSuchField) {
  EXPECT_EQ(host(""), "");
  EXPECT_EQ(host("Host: first line\r\n\r\n"), "");
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHosts: a\r\nHos: b\r\nHost c\r\n\r\n"), "");
  EXPECT_EQ(host("GET / HTTP/1.1\r\n\r\nHost: of the body\r\n"), "");
  EXPECT_EQ(host("GET / HTTP/1.1\nHost: a\n\n"), "");
}

TEST(HttpHost, TheFirstOneCountsEvenWhenItIsEmpty) {
  EXPECT_EQ(host("GET / HTTP/1.1\r\nHost: \r\nHost: b\r\n\r\n"), "");
}

TEST(HttpHost, ALineThatIsNotWholeIsNone) {
  const std::string head = "GET / HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\n";
  EXPECT_EQ(test::bytes_that_give(FieldKind::http_host, test::bytes_of(head), "example.com"), head.find("Accept"));
}

TEST(DnsName, IsThatOfTheFirstQuestion) {
  EXPECT_EQ(name(question({"www", "example", "com"})), "www.example.com");
  EXPECT_EQ(name(question({std::string(63, 'a')}, 2)), std::string(63, 'a'));
  EXPECT_EQ(name(question({"a.b", ","})), "a.b.,");
}

TEST(DnsName, IsNoneOfTheRootOrOfNoQuestion) {
  EXPECT_EQ(name(question({})), "");
  EXPECT_EQ(name(question({"www"}, 0)), "");
}

TEST(DnsName, IsNoneWhereALabelIsTooLongOrAReference) {
  EXPECT_EQ(name(question({std::string(64, 'a')})), "");
  test::Bytes referring = question({"www"});
  referring[16] = 0xc0;
  EXPECT_EQ(name(referring), "");
}

TEST(DnsName, IsThereOnceItsLastLabelHasAnEnd) {
  const test::Bytes message = question({"www", "example"});
  EXPECT_EQ(test::bytes_that_give(FieldKind::dns_name, message, "www.example"), message.size() - 4);
  EXPECT_EQ(name({0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 'a', 'b', 0}), "");  // no room for its kind and class
}

std::string banner(std::string_view head) { return field_value(FieldKind::ssh_banner, test::bytes_of(head)); }

TEST(SshBanner, IsTheLineThatBeginsWithSsh) {
  EXPECT_EQ(banner("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\1\2"), "SSH-2.0-OpenSSH_9.2p1 Debian-2");
  EXPECT_EQ(banner("SSH-1.5-old\n"), "SSH-1.5-old");
  EXPECT_EQ(banner("Welcome\r\nto SSH-2.0-this\r\nSSH-2.0-x\r\n"), "SSH-2.0-x");
  EXPECT_EQ(banner("HTTP/1.1 200 OK\r\n\r\n"), "");
}

TEST(SshBanner, IsThereOnceItsLineHasAnEnd) {
  const std::string head = "Welcome\r\nSSH-2.0-x\r\nmore";
  EXPECT_EQ(test::bytes_that_give(FieldKind::ssh_banner, test::bytes_of(head), "SSH-2.0-x"), head.size() - 4);
}

TEST(SshBanner, HasNoMoreThan255Bytes) {
  const std::string longest = "SSH-2.0-" + std::string(245, 'x');
  EXPECT_EQ(banner(longest + "\r\n"), longest);
  EXPECT_EQ(banner(longest + "x\r\n"), "");
}

}  // namespace
}  // namespace warpmeter
