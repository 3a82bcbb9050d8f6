// What a service manager is told, by a socket with a path or an abstract name, and when it wants a watchdog's signs.
#include "base/program/service_manager.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "support/notify_socket.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

class ManagerTest : public testing::Test {
 protected:
  const test::ScratchFolder folder_;
  test::NotifySocket manager_;
};

TEST_F(ManagerTest, HearsByAPath) {
  manager_.listen_at(folder_.path() + "/notify");
  const ServiceManager manager;
  EXPECT_TRUE(manager.is_there());
  manager.tell("READY=1\nSTATUS=x");
  EXPECT_EQ(manager_.heard(), "READY=1\nSTATUS=x");
}

TEST_F(ManagerTest, HearsByAnAbstractName) {
  manager_.listen_at("@warpmeter-test-" + std::to_string(getpid()));
  const ServiceManager manager;
  manager.tell("WATCHDOG=1");
  EXPECT_EQ(manager_.heard(), "WATCHDOG=1");
}

TEST_F(ManagerTest, WantsSignsOfThisProcessOnly) {
  manager_.listen_at(folder_.path() + "/notify");
  EXPECT_FALSE(ServiceManager().watchdog());
  setenv("WATCHDOG_USEC", "30000000", 1);
  EXPECT_EQ(ServiceManager().watchdog(), std::chrono::seconds(30));
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(ServiceManager().watchdog(), std::chrono::seconds(30));
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(ServiceManager().watchdog());
  setenv("WATCHDOG_PID", "x", 1);
  setenv("WATCHDOG_USEC", "soon", 1);
  EXPECT_FALSE(ServiceManager().watchdog());
}

TEST_F(ManagerTest, NobodyIsThere) {
  for (const std::string& name :
       {std::string(), std::string("relative"), std::string("@"), std::string(300, '/'), folder_.path() + "/nobody"}) {
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    const ServiceManager manager;
    EXPECT_FALSE(manager.is_there()) << name;
    manager.tell("READY=1");
  }
}

TEST_F(ManagerTest, OneThatDoesNotReadIsNotWaitedFor) {
  manager_.listen_at(folder_.path() + "/notify");
  const ServiceManager manager;
  for (int i = 0; i < 10'000; ++i) manager.tell("WATCHDOG=1");
  EXPECT_EQ(manager_.heard(), "WATCHDOG=1");
}

}  // namespace
}  // namespace warpmeter
