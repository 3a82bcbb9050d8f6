// pcapng files with unknown link types: all unknown is an error, some unknown is not (sections 3 and 10.29).
#include <gtest/gtest.h>

#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

constexpr std::uint16_t kEthernet = 1;
constexpr std::uint16_t kUser0 = 147;
constexpr std::uint16_t kUser1 = 148;

std::string error_of(const PcapngFile& file) {
  try {
    read_bytes(file.data());
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::failed);
    return error.what();
  }
  return {};
}

TEST(PcapngLinks, OnlyUnknownOnesAreAnErrorThatNamesThem) {
  PcapngFile file;
  file.interface(kUser0).interface(kUser1).enhanced(0, 1, {1});
  const std::string error = error_of(file);
  EXPECT_NE(error.find("147"), std::string::npos) << error;
  EXPECT_NE(error.find("148"), std::string::npos) << error;
}

TEST(PcapngLinks, OnlyUnknownOnesAreAnErrorWithoutPacketsToo) {
  EXPECT_NE(error_of(PcapngFile().interface(kUser0)), "");
}

TEST(PcapngLinks, FramesOfUnknownInterfacesKeepTheirNumbers) {
  PcapngFile file;
  file.interface(kUser0).interface(kEthernet).enhanced(0, 1, {1}).enhanced(1, 2, {2}).simple(1, {3});
  const ReadCapture read = read_bytes(file.data());
  ASSERT_EQ(read.frames.size(), 3u);
  EXPECT_EQ(read.frames[0].link, kUnknownLink);
  EXPECT_EQ(read.frames[1].link, kEthernet);
  EXPECT_EQ(read.frames[2].link, kUnknownLink);
}

TEST(PcapngLinks, OneKnownInterfaceInAnySectionIsEnough) {
  PcapngFile first, last;
  first.interface(kEthernet).section(std::endian::big).interface(kUser0).enhanced(0, 1, {1});
  last.interface(kUser0).enhanced(0, 1, {1}).section(std::endian::big).interface(kEthernet);
  EXPECT_EQ(error_of(first), "");
  EXPECT_EQ(error_of(last), "");
}

TEST(PcapngLinks, FileWithoutInterfacesIsSound) {
  const ReadCapture read = read_bytes(PcapngFile().data());
  EXPECT_TRUE(read.frames.empty());
  EXPECT_FALSE(read.damage.has_value());
}

TEST(PcapngLinks, TheNumberForUnknownIsUnknownItself) { EXPECT_NE(error_of(PcapngFile().interface(0xffff)), ""); }

}  // namespace
}  // namespace warpmeter::test
