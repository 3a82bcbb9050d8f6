// What `warpmeter info FILE` finds in captures of every format: the same as their packets say one by one.
#include "command/info/capture_info.h"

#include <gtest/gtest.h>

#include "support/erf_file.h"
#include "support/hpcap_file.h"
#include "support/packets.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kNow = 1'700'000'000;
constexpr std::int64_t kNowNs = 1'700'000'000'000'000'000;
constexpr std::uint16_t kUser0 = 147;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Bytes tcp_packet() { return ethernet(0x0800, ip4({}, tcp({}, counting_bytes(100)))); }

class CaptureInfoTest : public testing::Test {
 protected:
  CaptureInfo info_of(const Bytes& content, unsigned threads = 2, InputFormat format = InputFormat::automatic) {
    InfoOptions options;
    options.threads = threads;
    options.input_format = format;
    options.quiet = true;
    return read_capture_info(folder_.write("file", content), options, never_);
  }

  const ScratchFolder folder_;
  const std::atomic<bool> never_ = false;
};

TEST_F(CaptureInfoTest, LengthsTimesAndProtocols) {
  PcapFile file({.magic = kPcapNanoseconds});
  file.record(kNow, 5, tcp_packet());
  file.record(kNow + 2, 0, ethernet(0x86dd, ip6({.next = 17}, udp(1, 2))));
  file.record(kNow + 1, 7, ethernet(0x8100, vlan_tag(7, 0x0800) + ip4({.protocol = 1, .fragment = 9}, Bytes(8))));
  file.record(kNow + 2, 0, ethernet(0x0806, Bytes(28)));
  file.header(kNow + 2, 1, 14, 1514).raw(ethernet(0x0800, {}));
  const CaptureInfo info = info_of(file.data());
  const FrameSums& s = info.sums;
  EXPECT_EQ(s.frames(), 5u);
  EXPECT_EQ(s.captured, 154u + 62 + 46 + 42 + 14);
  EXPECT_EQ(s.original, s.captured + 1500);
  EXPECT_EQ(s.smallest, 42u);
  EXPECT_EQ(s.largest, 1514u);
  EXPECT_EQ(s.cut, 1u);
  EXPECT_EQ(s.earliest_ns, kNowNs + 5);
  EXPECT_EQ(s.latest_ns, kNowNs + 2'000'000'001);
  EXPECT_EQ(s.backwards, 1u);
  EXPECT_EQ(s.furthest_back_ns, 999'999'993);
  EXPECT_EQ(std::vector({s.ip4, s.ip6, s.tcp, s.udp, s.icmp, s.other}), (std::vector<std::uint64_t>{2, 1, 1, 1, 1, 0}));
  EXPECT_EQ(s.fragments, 1u);
  EXPECT_EQ(s.vlan, 1u);
  EXPECT_EQ(s.decode.metered, 3u);
  EXPECT_EQ(s.decode.ignored[static_cast<int>(Ignored::not_ip)], 1u);
  EXPECT_EQ(s.decode.ignored[static_cast<int>(Ignored::cut_short)], 1u);
  EXPECT_EQ(info.bytes, file.size());
  EXPECT_TRUE(info.damage.empty());
}

// Many chunks, in threads that finish them in any order; times that run backwards where chunks may meet too.
TEST_F(CaptureInfoTest, AnyNumberOfThreadsFindsTheSame) {
  PcapFile file;
  std::uint64_t backwards = 0;
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < 30'000; ++i) {
    const std::uint32_t time = i * 37 % 1000;
    backwards += time < before;
    file.record(kNow, before = time, Bytes(60 + i % 50, static_cast<std::uint8_t>(i)));
  }
  for (const unsigned threads : {1, 2, 5}) {
    const CaptureInfo info = info_of(file.data(), threads);
    EXPECT_EQ(info.sums.frames(), 30'000u);
    EXPECT_EQ(info.sums.backwards, backwards);
    EXPECT_EQ(info.sums.captured, 30'000u * 60 + 600 * 1225);
    EXPECT_EQ(info.sums.first_ns, kNowNs);
    EXPECT_EQ(info.sums.last_ns, kNowNs + before * 1000);
  }
}

TEST_F(CaptureInfoTest, PcapTellsOfItself) {
  for (const auto& [magic, resolution] : {std::pair{kPcapMicroseconds, 6}, {kPcapNanoseconds, 9}, {kPcapModified, 6}}) {
    const CaptureFacts facts = info_of(PcapFile({.order = std::endian::big, .magic = magic}).data()).facts;
    EXPECT_EQ(facts.format, InputFormat::pcap);
    EXPECT_TRUE(facts.big_endian);
    EXPECT_EQ(facts.modified, magic == kPcapModified);
    ASSERT_EQ(facts.interfaces.size(), 1u);
    EXPECT_EQ(facts.interfaces[0].snap_length, 65535u);
    EXPECT_EQ(facts.interfaces[0].resolution, resolution);
  }
}

TEST_F(CaptureInfoTest, PcapngTellsOfItsInterfaces) {
  PcapngFile file;
  const Bytes name = file.writer().u16(2).u16(4).bytes({'e', 't', 'h', 27}).data();
  const Bytes description = file.writer().u16(3).u16(4).bytes({'u', 'p', 0xc2, 0x9b}).data();
  file.interface(1, name + description + file.resolution(9), 96).interface(kUser0);
  file.enhanced(0, 1, {1}).enhanced(1, 2, {2}).simple(1, {3}).enhanced(1, 2, {2});
  file.section(std::endian::little).interface(kUser0).enhanced(0, 3, {4});
  const CaptureInfo info = info_of(file.data());
  EXPECT_EQ(info.facts.sections, 2u);
  ASSERT_EQ(info.facts.interfaces.size(), 2u);
  const InterfaceFacts& eth = info.facts.interfaces[0];
  EXPECT_EQ(eth.name, "eth\x1b");
  EXPECT_EQ(eth.description, "up\xc2\x9b");
  EXPECT_EQ(eth.snap_length, 96u);
  EXPECT_EQ(eth.resolution, 9);
  EXPECT_EQ(eth.packets, 2u);
  EXPECT_EQ(info.facts.interfaces[1].link, kUser0);
  EXPECT_FALSE(info.facts.interfaces[1].decoded);
  EXPECT_EQ(info.facts.interfaces[1].packets, 3u);
  EXPECT_TRUE(has(capture_info_text(info), "interface 0         eth\\x1b, up\\xc2\\x9b, 1"));
}

TEST_F(CaptureInfoTest, NoMoreInterfacesAreListedThanAnybodyReads) {
  PcapngFile file;
  for (int i = 0; i < 1000; ++i) file.interface(1);
  const CaptureInfo info = info_of(file.enhanced(999, 1, {1}).data());
  EXPECT_EQ(info.facts.interfaces.size(), 256u);
  EXPECT_EQ(info.facts.more_interfaces, 744u);
  EXPECT_EQ(info.sums.frames(), 1u);
}

TEST_F(CaptureInfoTest, AnUnknownLinkTypeIsNoError) {
  const CaptureInfo info = info_of(PcapFile({.link = kUser0}).record(1, 0, {1, 2}).data());
  EXPECT_EQ(info.sums.frames(), 1u);
  EXPECT_EQ(info.sums.decode.ignored[static_cast<int>(Ignored::unknown_link_type)], 1u);
  EXPECT_TRUE(has(capture_info_text(info), "link type           147 (USER0), not decoded"));
  EXPECT_EQ(info_of(PcapngFile().interface(kUser0).enhanced(0, 1, {1}).data()).sums.frames(), 1u);
}

TEST_F(CaptureInfoTest, HpcapAndErf) {
  const CaptureInfo hpcap = info_of(HpcapFile().record(kNow, 1, tcp_packet(), 9).data());
  EXPECT_EQ(hpcap.facts.format, InputFormat::hpcap);
  EXPECT_EQ(hpcap.sums.tcp, 1u);
  EXPECT_EQ(hpcap.sums.cut, 1u);
  const CaptureInfo erf = info_of(ErfFile().record({}, tcp_packet()).record({.type = 27}, Bytes(8)).data());
  EXPECT_EQ(erf.facts.format, InputFormat::erf);
  ASSERT_EQ(erf.facts.interfaces.size(), 2u);
  EXPECT_EQ(erf.facts.interfaces[0].packets, 1u);
  EXPECT_TRUE(has(capture_info_text(erf), "link type           others, not decoded, 2^-32 s, 1 packet"));
}

TEST_F(CaptureInfoTest, DamageIsToldAndWhatCameBeforeCounts) {
  const CaptureInfo info = info_of(PcapFile().record(1, 0, {1}).raw({1, 2, 3}).data());
  EXPECT_EQ(info.sums.frames(), 1u);
  ASSERT_EQ(info.damage.size(), 1u);
  EXPECT_EQ(info.damage.front().offset, 41u);
  EXPECT_TRUE(has(capture_info_text(info), "at byte 41: record header cut short"));
}

TEST_F(CaptureInfoTest, WhatIsNoCaptureIsAnError) {
  EXPECT_TRUE(has(thrown_text([&] { info_of(Bytes(100, 'x')); }), "not a pcap, pcapng, HP-CAP or ERF file"));
  EXPECT_TRUE(has(thrown_text([&] { info_of(PcapFile().data(), 1, InputFormat::erf); }), "not an ERF file"));
}

TEST_F(CaptureInfoTest, WithoutPacketsThereAreNoTimes) {
  const CaptureInfo info = info_of(PcapFile().data());
  EXPECT_TRUE(has(capture_info_text(info), "packets             0\n"));
  EXPECT_FALSE(has(capture_info_text(info), "1970"));
  EXPECT_TRUE(has(capture_info_json(info), "\"earliest_ns\":null"));
}

TEST_F(CaptureInfoTest, JsonIsOneLineWhateverAFileSaysOfItself) {
  PcapngFile file;
  const CaptureInfo info =
      info_of(file.interface(1, file.writer().u16(2).u16(4).bytes({0xff, '"', '\n', 0}).data()).data());
  const std::string json = capture_info_json(info);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_TRUE(has(json, "\"format\":\"pcapng\""));
}

TEST(ExactUtcText, BeforeTheEpochToo) {
  EXPECT_EQ(exact_utc_text(kNowNs + 1), "2023-11-14 22:13:20.000000001 UTC");
  EXPECT_EQ(exact_utc_text(-1), "1969-12-31 23:59:59.999999999 UTC");
}

}  // namespace
}  // namespace warpmeter::test
