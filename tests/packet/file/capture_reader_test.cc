// Which format a file has is told by its content; what is no capture is one clear error.
#include "packet/file/capture_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/packed.h"
#include "support/pcap_file.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

constexpr const char* kCutShort = "file header cut short";
constexpr const char* kNoCapture = "not a pcap, pcapng, HP-CAP or ERF file";

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
    EXPECT_EQ(error_of(Bytes(header.begin(), header.begin() + size)), size < 4 ? kNoCapture : kCutShort) << size;
  }
  EXPECT_EQ(error_of(header), "no error");
}

TEST_F(CaptureReaderTest, EveryCutBeforeTheByteOrderOfAPcapngFileIsAnError) {
  const Bytes header = PcapngFile().data();
  for (std::ptrdiff_t size = 1; size < 12; ++size) {
    EXPECT_EQ(error_of(Bytes(header.begin(), header.begin() + size)), size < 4 ? kNoCapture : kCutShort) << size;
  }
}

TEST_F(CaptureReaderTest, BadByteOrderMagicOfTheFirstSectionIsAnError) {
  Bytes file = PcapngFile().interface(1).data();
  file[8] ^= 1;
  EXPECT_EQ(error_of(file), kNoCapture);
}

TEST_F(CaptureReaderTest, SomethingElseIsAnError) { EXPECT_EQ(error_of(Bytes(1000, 'x')), kNoCapture); }

TEST_F(CaptureReaderTest, LookingTakesFourBytesOfAnyMagic) {
  for (const std::uint32_t magic : {kPcapMicroseconds, kPcapNanoseconds, kPcapModified, 0x0a0d0d0au}) {
    EXPECT_TRUE(looks(ByteWriter(std::endian::little).u32(magic).data()));
    EXPECT_TRUE(looks(ByteWriter(std::endian::big).u32(magic).data()));
  }
  EXPECT_FALSE(looks(ByteWriter().u32(0xa1b2c3d5).data()));
  EXPECT_FALSE(looks({0x0a, 0x0d, 0x0d}));
}

// Opening them says what is wrong.
TEST_F(CaptureReaderTest, WhatIsTooShortToTellIsTakenForACapture) {
  EXPECT_TRUE(looks({}));
  for (const Packer& packer : packers()) {
    const Bytes packed = packer.pack(PcapFile().data());
    EXPECT_TRUE(looks(Bytes(packed.begin(), packed.begin() + 10))) << packer.name;
    EXPECT_FALSE(looks(packer.pack(Bytes(100, 'x')))) << packer.name;
  }
}

TEST_F(CaptureReaderTest, LookingAtWhatIsNotThereIsAnError) {
  EXPECT_THROW(looks_like_capture(folder_.file("none")), Error);
}

// What outputs do not take the place of: sure of it, and of what cannot be read nothing is claimed.
TEST_F(CaptureReaderTest, PacketsInAFile) {
  const auto in = [&](const Bytes& content) { return packets_in(folder_.write("x", content)); };
  const Bytes pcap = PcapFile().record(1, 0, {1}).data();
  EXPECT_EQ(in(pcap), "a capture");
  EXPECT_EQ(in(PcapngFile().interface(1).data()), "a capture");
  EXPECT_EQ(in(Bytes(pcap.begin(), pcap.begin() + 4)), "a capture");
  EXPECT_EQ(in(Bytes(kSegmentStart.begin(), kSegmentStart.end())), "a segment file");
  for (const Packer& packer : packers()) {
    EXPECT_EQ(in(packer.pack(pcap)), "a capture") << packer.name;
    EXPECT_EQ(in(packer.pack(Bytes(100, 'x'))), "") << packer.name;
  }
  EXPECT_EQ(in({}), "");
  EXPECT_EQ(in({0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 0}), "") << "what this build cannot unpack";
  EXPECT_EQ(packets_in(folder_.file("none")), "");
  EXPECT_EQ(packets_in(folder_.path()), "");
}

// What a packed file says of itself, and what is in it.
TEST_F(CaptureReaderTest, PackedFilesThatCannotBeRead) {
  for (const Packer& packer : packers()) {
    const Bytes packed = packer.pack(PcapFile().data());
    for (std::ptrdiff_t size = 4; size + 4 < static_cast<std::ptrdiff_t>(packed.size()); ++size) {
      const std::string error = error_of(Bytes(packed.begin(), packed.begin() + size));
      EXPECT_TRUE(error == packer.name + ": cut short" || error == "no error") << error << " " << size;
    }
    EXPECT_EQ(error_of(packer.pack(Bytes(100, 'x'))), kNoCapture);
    EXPECT_EQ(error_of(packer.pack({})), "the file is empty");
    EXPECT_EQ(error_of(packer.pack(packed)),
              std::string(kNoCapture) + " (unpacked, it is " + packer.name + "-compressed)");
  }
}

TEST_F(CaptureReaderTest, OldLz4Format) {
  EXPECT_EQ(error_of({0x02, 0x21, 0x4c, 0x18, 0, 0, 0, 0}),
            "lz4-compressed in the legacy format (lz4 -l), which is not read");
}

// In the middle of a record and between two.
TEST_F(CaptureReaderTest, DamageOfAPackedFileIsToldWithItsUnpackedOffset) {
  for (const Packer& packer : packers()) {
    for (const std::size_t more : {0, 3}) {
      PcapFile file;
      file.record(1, 0, {1, 2, 3}).raw(Bytes(more, 1));
      Bytes packed = packer.pack(file.data());
      packed.resize(packed.size() - 2);  // of the checksum
      const ReadCapture read = read_bytes(packed);
      EXPECT_EQ(read.frames.size(), 1u);
      ASSERT_TRUE(read.damage.has_value()) << packer.name;
      EXPECT_EQ(read.damage->offset, 24 + 16 + 3u);
      const std::string reason = packer.name + ": cut short";
      EXPECT_EQ(read.damage->reason, more ? "record header cut short (" + reason + ")" : reason);
    }
    Bytes blocks = packer.pack(PcapngFile().interface(1).enhanced(0, 1, {2}).data());
    blocks.resize(blocks.size() - 2);
    const ReadCapture read = read_bytes(blocks);
    EXPECT_EQ(read.frames.size(), 1u);
    ASSERT_TRUE(read.damage.has_value());
    EXPECT_EQ(read.damage->reason, packer.name + ": cut short");
  }
}

}  // namespace
}  // namespace warpmeter::test
