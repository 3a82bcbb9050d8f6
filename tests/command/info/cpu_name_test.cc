// What /proc/cpuinfo says is told by name, on amd64 and on arm64.
#include "command/info/cpu_name.h"

#include <gtest/gtest.h>

#include <sstream>

namespace warpmeter {
namespace {

std::string name_in(const std::string& text) {
  std::istringstream cpuinfo(text);
  return cpu_name(cpuinfo);
}

TEST(CpuName, OfAnAmd64) {
  EXPECT_EQ(name_in("processor\t: 0\nvendor_id\t: X\nmodel\t\t: 1\nmodel name\t: Xeon 1\n"), "Xeon 1");
}

TEST(CpuName, OfArm) {
  const std::string before = "processor\t: 0\nBogoMIPS\t: 2000.00\nFeatures\t: fp asimd\n";
  EXPECT_EQ(name_in(before + "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x0\nCPU part\t: 0xd4f\n"),
            "Arm Neoverse V2");
  EXPECT_EQ(name_in(before + "CPU implementer\t: 0x41\nCPU part\t: 0xfff\n"), "arm64, implementer 0x41, part 0xfff");
  EXPECT_EQ(name_in(before + "CPU implementer\t: 0x61\nCPU part\t: 0xd4f\n"), "arm64, implementer 0x61, part 0xd4f");
}

TEST(CpuName, OfNobody) {
  EXPECT_EQ(name_in(""), "unknown");
  EXPECT_EQ(name_in("model name\n"), "unknown");
}

}  // namespace
}  // namespace warpmeter
