// Which format a file has is told by its content; what is no capture is one clear error.
#include "capture/capture_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

class CaptureReaderTest : public testing::Test {
 protected:
  // Without the path that it begins with.
  std::string error_of(const Bytes& content) {
    const std::string path = folder_.write("some.pcap", content);
    try {
      open_capture(path, stop_);
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind(path + ": ", 0), 0u) << text;
      EXPECT_EQ(error.status(), ExitStatus::failed);
      return text.substr(std::min(text.size(), path.size() + 2));
    }
    return "no error";
  }

  bool looks(const Bytes& content) { return looks_like_capture(folder_.write("x", content)); }

  const ScratchFolder folder_;
  const std::atomic<bool> stop_ = false;
};

TEST_F(CaptureReaderTest, ContentAndNotNameTellsTheFormat) {
  const Bytes pcap = PcapFile().record(1, 0, {1}).data();
  const Bytes pcapng = PcapngFile().interface(1).enhanced(0, 1, {2}).data();
  EXPECT_EQ(read_file(folder_.write("a.pcapng", pcap)).frames.at(0).bytes, Bytes{1});
  EXPECT_EQ(read_file(folder_.write("b.txt", pcapng)).frames.at(0).bytes, Bytes{2});
}

TEST_F(CaptureReaderTest, EmptyFile) { EXPECT_EQ(error_of({}), "the file is empty"); }

TEST_F(CaptureReaderTest, EveryCutOfAPcapFileHeaderIsAnError) {
  const Bytes header = PcapFile().data();
  for (std::ptrdiff_t size = 1; size < 24; ++size) {
    EXPECT_EQ(error_of(Bytes(header.begin(), header.begin() + size)), "not a pcap or pcapng file") << size;
  }
  EXPECT_EQ(error_of(header), "no error");
}

TEST_F(CaptureReaderTest, EveryCutBeforeTheByteOrderOfAPcapngFileIsAnError) {
  const Bytes header = PcapngFile().data();
  for (std::ptrdiff_t size = 1; size < 12; ++size) {
    EXPECT_EQ(error_of(Bytes(header.begin(), header.begin() + size)), "not a pcap or pcapng file") << size;
  }
}

TEST_F(CaptureReaderTest, BadByteOrderMagicOfTheFirstSectionIsAnError) {
  Bytes file = PcapngFile().interface(1).data();
  file[8] ^= 1;
  EXPECT_EQ(error_of(file), "not a pcap or pcapng file");
}

TEST_F(CaptureReaderTest, SomethingElseIsAnError) {
  EXPECT_EQ(error_of(Bytes(1000, 'x')), "not a pcap or pcapng file");
}

TEST_F(CaptureReaderTest, LookingTakesFourBytesOfAnyMagic) {
  for (const std::uint32_t magic : {kPcapMicroseconds, kPcapNanoseconds, kPcapModified, 0x0a0d0d0au}) {
    EXPECT_TRUE(looks(ByteWriter(std::endian::little).u32(magic).data()));
    EXPECT_TRUE(looks(ByteWriter(std::endian::big).u32(magic).data()));
  }
  EXPECT_FALSE(looks(ByteWriter().u32(0xa1b2c3d5).data()));
  EXPECT_FALSE(looks({0x0a, 0x0d, 0x0d}));
  EXPECT_FALSE(looks({}));
}

TEST_F(CaptureReaderTest, WhatIsNotThereLooksLikeNothing) { EXPECT_FALSE(looks_like_capture(folder_.file("none"))); }

}  // namespace
}  // namespace warpmeter::test
