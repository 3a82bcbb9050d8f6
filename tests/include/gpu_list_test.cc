// What is said where the CUDA runtime finds no driver that it can use.
#include "core/device_meter.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(GpuList, NoDriverIsNotOneThatIsTooOld) {
  EXPECT_EQ(why_no_driver(0, 12040), "no NVIDIA driver");
  EXPECT_EQ(why_no_driver(11080, 12040), "the NVIDIA driver is too old: it is for CUDA 11.8, this build needs 12.4");
}

TEST(GpuList, ADriverOfTheSameMajorVersionIsNewEnough) {
  for (const int driver : {12000, 12040, 13000}) EXPECT_FALSE(why_no_driver(driver, 12040)) << driver;
}

}  // namespace
}  // namespace warpmeter
