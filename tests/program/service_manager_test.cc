// What a service manager is told, by a socket with a path or an abstract name, and when it wants a watchdog's signs.
#include "program/service_manager.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

class ManagerTest : public testing::Test {
 protected:
  ~ManagerTest() override {
    close(fd_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }
  void listen_at(const std::string& name) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name.data(), name.size());
    if (name[0] == '@') at.sun_path[0] = '\0';
    const std::size_t size = offsetof(sockaddr_un, sun_path) + name.size() + (name[0] == '@' ? 0 : 1);
    ASSERT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&at), static_cast<socklen_t>(size)), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }
  std::string heard() const {
    char text[200];
    const ssize_t n = recv(fd_, text, sizeof text, 0);
    return n < 0 ? "" : std::string(text, static_cast<std::size_t>(n));
  }

  const test::ScratchFolder folder_;
  int fd_ = -1;
};

TEST_F(ManagerTest, HearsByAPath) {
  listen_at(folder_.path() + "/notify");
  const ServiceManager manager;
  EXPECT_TRUE(manager.is_there());
  manager.tell("READY=1\nSTATUS=x");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=x");
}

TEST_F(ManagerTest, HearsByAnAbstractName) {
  listen_at("@warpmeter-test-" + std::to_string(getpid()));
  const ServiceManager manager;
  manager.tell("WATCHDOG=1");
  EXPECT_EQ(heard(), "WATCHDOG=1");
}

TEST_F(ManagerTest, WantsSignsOfThisProcessOnly) {
  listen_at(folder_.path() + "/notify");
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
  listen_at(folder_.path() + "/notify");
  const ServiceManager manager;
  for (int i = 0; i < 10'000; ++i) manager.tell("WATCHDOG=1");
  EXPECT_EQ(heard(), "WATCHDOG=1");
}

}  // namespace
}  // namespace warpmeter
