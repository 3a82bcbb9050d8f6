// 802.11 data frames, and the headers that drivers put before them.
#include "decode/wlan.h"

#include <gtest/gtest.h>

#include "decode/ip_places.h"

namespace warpmeter::test {
namespace {

const Bytes kPacket = Bytes{0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00} + kIp4;

Bytes frame(std::uint8_t control, std::uint8_t flags, std::size_t header, const Bytes& body = kPacket) {
  return Bytes{control, flags} + Bytes(header - 2) + body;
}

TEST(Wlan, HeaderLengthByItsBits) {
  expect_ip(frame(0x08, 0x01, 24), kLinkWlan, 4, 32);
  expect_ip(frame(0x08, 0x03, 30), kLinkWlan, 4, 38);  // four addresses
  expect_ip(frame(0x88, 0x02, 26), kLinkWlan, 4, 34);  // quality of service
  expect_ip(frame(0x88, 0x03, 32), kLinkWlan, 4, 40);
  expect_ip(frame(0x88, 0x81, 30), kLinkWlan, 4, 38);  // and high-throughput control
  expect_ip(frame(0x08, 0x81, 24), kLinkWlan, 4, 32);  // which data frames without it do not have
}

TEST(Wlan, HeaderPaddedToFourBytes) { expect_ip(frame(0x88, 0x02, 28), kLinkWlan, 4, 36); }

TEST(Wlan, WhatIsNoDataInTheClear) {
  expect_none(frame(0x80, 0x00, 24), Ignored::not_ip, kLinkWlan);  // beacon
  expect_none(frame(0xd4, 0x00, 24), Ignored::not_ip, kLinkWlan);  // acknowledgement
  expect_none(frame(0x48, 0x01, 24), Ignored::not_ip, kLinkWlan);  // data without a body
  expect_none(frame(0x08, 0x41, 24), Ignored::not_ip, kLinkWlan);  // protected
  expect_none(frame(0x08, 0x01, 24, Bytes(30)), Ignored::not_ip, kLinkWlan);
  expect_none({0x08}, Ignored::cut_short, kLinkWlan);
}

TEST(Wlan, RadiotapLengthIsLittleEndian) {
  expect_ip(Bytes{0, 0, 12, 0} + Bytes(8) + frame(0x08, 1, 24), kLinkRadiotap, 4, 44);
  expect_none(Bytes{0, 0, 0, 12} + Bytes(8) + frame(0x08, 1, 24), Ignored::cut_short, kLinkRadiotap);
}

TEST(Wlan, AvsLengthIsBigEndian) {
  const Bytes header = Bytes{0x80, 0x21, 0x10, 0x01, 0, 0, 0, 64} + Bytes(56);
  expect_ip(header + frame(0x08, 1, 24), kLinkAvs, 4, 96);
  expect_ip(header + frame(0x08, 1, 24), kLinkPrism, 4, 96);
  expect_none(Bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff} + Bytes(100), Ignored::cut_short, kLinkAvs);
}

TEST(Wlan, PrismHeaderHasItsSize) { expect_ip(Bytes(144) + frame(0x08, 1, 24), kLinkPrism, 4, 176); }

TEST(Wlan, InPerPacketInformation) {
  expect_ip(Bytes{0, 0, 32, 0, 105, 0, 0, 0} + Bytes(24) + frame(0x88, 1, 26), kLinkPpi, 4, 66);
}

}  // namespace
}  // namespace warpmeter::test
