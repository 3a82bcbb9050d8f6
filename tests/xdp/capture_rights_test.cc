// What is needed is dropped, in one thread, and the others keep it.
#include "xdp/capture_rights.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace warpmeter::test {
namespace {

TEST(CaptureRights, ThoseOfOneThreadAreDropped) {
  const std::string before = missing_rights_for_xdp();
  std::string after;
  std::thread([&after] {
    drop_capture_rights();
    after = missing_rights_for_xdp();
  }).join();
  EXPECT_TRUE(after.starts_with("CAP_NET_RAW") && after.find("CAP_NET_ADMIN") != std::string::npos) << after;
  EXPECT_EQ(missing_rights_for_xdp(), before);
}

}  // namespace
}  // namespace warpmeter::test
