// Who may have the place of the control socket, and what becomes of what is there.
#include "policy/control/control_socket.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "policy/control/control_client.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

class ControlSocketTest : public testing::Test {
 protected:
  std::string refusal() const {
    return test::thrown_text([&] { const ControlSocket socket(path_); });
  }
  // Of a run that was killed.
  void leave(int kind = SOCK_STREAM) const {
    const Descriptor left(socket(AF_UNIX, kind | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(bind(left.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }

  const test::ScratchFolder folder_;
  const std::string path_ = folder_.path() + "/policy";
  const std::string says_ = "--policy-socket " + path_ + ": ";
};

TEST_F(ControlSocketTest, IsForItsOwnerAlone) {
  const mode_t before = umask(0);
  std::optional<ControlSocket> socket(path_);
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  test::ControlClient client(path_);
  socket.reset();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ControlSocketTest, WhatIsLeftMakesRoom) {
  for (const int kind : {SOCK_STREAM, SOCK_DGRAM}) {
    leave(kind);
    const ControlSocket socket(path_);
    test::ControlClient client(path_);
  }
}

TEST_F(ControlSocketTest, LivingOneStays) {
  const ControlSocket socket(path_);
  EXPECT_EQ(refusal(), says_ + "in use: process " + std::to_string(getpid()) + " listens there");
  test::ControlClient client(path_);
}

// It takes none away that came in its place.
TEST_F(ControlSocketTest, OfAnotherOneStaysAtItsEnd) {
  std::optional<ControlSocket> first(path_);
  ASSERT_EQ(unlink(path_.c_str()), 0);
  const ControlSocket second(path_);
  first.reset();
  test::ControlClient client(path_);
}

TEST_F(ControlSocketTest, WhatIsNoSocketStays) {
  const std::string why = says_ + "no socket, but a file, folder or link that is there already";
  test::write_file(path_, std::string("mine"));
  EXPECT_EQ(refusal(), why);
  EXPECT_EQ(fs::file_size(path_), 4u);
  fs::rename(path_, folder_.path() + "/file");
  fs::create_directory(path_);
  EXPECT_EQ(refusal(), why);
  fs::remove(path_);
  for (const char* const target : {"file", "nothing"}) {
    fs::create_symlink(target, path_);
    EXPECT_EQ(refusal(), why);
    EXPECT_TRUE(fs::is_symlink(path_));
    fs::remove(path_);
  }
  EXPECT_FALSE(fs::exists(folder_.path() + "/nothing"));
}

TEST_F(ControlSocketTest, PathsThatAreNone) {
  const auto of = [](const std::string& path) { return test::thrown_text([&] { const ControlSocket socket(path); }); };
  EXPECT_EQ(of(""), "--policy-socket : no path of a socket");
  EXPECT_EQ(of("/tmp/"), "--policy-socket /tmp/: no path of a socket");
  EXPECT_EQ(of(".."), "--policy-socket ..: no path of a socket");
  EXPECT_EQ(of(path_ + "/below"), says_.substr(0, says_.size() - 2) + "/below: No such file or directory");
  const std::string longest = path_ + std::string(107 - path_.size(), 'x');
  const ControlSocket socket(longest);
  test::ControlClient client(longest);
  EXPECT_EQ(of(longest + "x"),
            "--policy-socket " + longest + "x: too long: the path of a socket has at most 107 bytes");
}

}  // namespace
}  // namespace warpmeter
