// What the program does with frames that nobody takes.
#include "packet/nic/xdp/capture_program.h"

#include <gtest/gtest.h>

#include <system_error>
#include <thread>

#include "packet/nic/ring/network_interface.h"
#include "packet/nic/xdp/wire.h"

namespace warpmeter::test {
namespace {

TEST(CaptureProgram, CountsWhatNoSocketTakes) {
  if (!make_wire(1500)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  std::optional<CaptureProgram> program;
  try {
    program.emplace(0);
    program->attach(find_interface("capture").index);
  } catch (const std::system_error& error) {
    GTEST_SKIP() << kWhoRunsWireTests << error.what();
  }
  WireSender sender;
  EXPECT_EQ(program->no_socket(), 0u);
  for (std::uint32_t i = 0; i < 9; ++i) ASSERT_TRUE(sender.send_one(i, 100));
  for (int i = 0; i < 2000 && program->no_socket() < 9; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(program->no_socket(), 9u);
  program->shut();
  ASSERT_TRUE(sender.send_one(9, 100));
  EXPECT_EQ(program->no_socket(), 9u);
}

TEST(CaptureProgram, IsGoneWithItsOwner) {
  if (!make_wire(1500)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
  const int interface = find_interface("capture").index;
  for (int i = 0; i < 3; ++i) {
    try {
      CaptureProgram program(0);
      program.attach(interface);
      EXPECT_THROW(CaptureProgram(0).attach(interface), std::system_error);
    } catch (const std::system_error& error) {
      GTEST_SKIP() << kWhoRunsWireTests << error.what();
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
