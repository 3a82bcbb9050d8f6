// The way to a detector: what is at its place, who may be there, and what either side may do.
#include "command/live/detector_link.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "command/live/unix_detector.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

std::size_t send(DetectorLink& link, std::string& text) {
  const std::array<iovec, 1> parts = {iovec{text.data(), text.size()}};
  return link.send(parts);
}

TEST(DetectorLink, WhoMayComeStillIsWaitedFor) {
  const ScratchFolder folder;
  DetectorLink link(folder.file("socket"));
  EXPECT_FALSE(link.connect());
  EXPECT_FALSE(link.is_hopeless());
  EXPECT_EQ(link.why(), "nobody listens there");
  { const UnixDetector detector(folder.file("socket")); }  // leaves the file
  EXPECT_FALSE(link.connect());
  EXPECT_FALSE(link.is_hopeless());
  EXPECT_EQ(link.why(), "nobody listens there");
  const UnixDetector detector(folder.file("socket"));
  EXPECT_TRUE(link.connect());
  EXPECT_TRUE(link.is_up());
}

TEST(DetectorLink, WhatIsThereAndNoDetectorIsTold) {
  const ScratchFolder folder;
  write_file(folder.file("file"), std::string("what is mine"));
  DetectorLink file(folder.file("file")), itself(folder.path()), below(folder.file("file") + "/socket");
  EXPECT_FALSE(file.connect());
  EXPECT_TRUE(file.is_hopeless());
  EXPECT_EQ(file.why(), "no socket, but a file or folder that is there already");
  EXPECT_EQ(file_text(folder.file("file")), "what is mine");
  EXPECT_FALSE(itself.connect());
  EXPECT_TRUE(itself.is_hopeless());
  EXPECT_FALSE(below.connect());
  EXPECT_TRUE(below.is_hopeless());
  const UnixDetector datagrams(folder.file("datagrams"), SOCK_DGRAM);
  DetectorLink other_kind(folder.file("datagrams"));
  EXPECT_FALSE(other_kind.connect());
  EXPECT_TRUE(other_kind.is_hopeless());
  EXPECT_NE(other_kind.why().find("SOCK_STREAM"), std::string::npos) << other_kind.why();
}

TEST(DetectorLink, PathsThatNoSocketCanHaveAreRefused) {
  EXPECT_EQ(thrown_text([] { DetectorLink link(std::string(107, 'x')); }), "");
  EXPECT_NE(thrown_text([] { DetectorLink link(std::string(108, 'x')); }).find("at most 107 bytes"), std::string::npos);
}

TEST(DetectorLink, ManyThatWaitInLineAreNoFault) {
  const ScratchFolder folder;
  const UnixDetector detector(folder.file("socket"));  // that accepts nobody
  std::vector<std::unique_ptr<DetectorLink>> links;
  for (int i = 0; i < 5; ++i) {
    links.push_back(std::make_unique<DetectorLink>(folder.file("socket")));
    if (!links.back()->connect()) {
      EXPECT_FALSE(links.back()->is_hopeless());
      return;
    }
  }
  FAIL() << "all were taken";
}

TEST(DetectorLink, SendsUntilThereIsNoRoom) {
  const ScratchFolder folder;
  UnixDetector detector(folder.file("socket"));
  DetectorLink link(folder.file("socket"));
  ASSERT_TRUE(link.connect());
  detector.accept();
  std::string text(1 << 20, 'x');
  std::size_t sent = 0;
  for (std::size_t some = 1; some > 0; sent += some) some = send(link, text);
  EXPECT_TRUE(link.is_up());
  EXPECT_GT(sent, 4096u);
  EXPECT_EQ(detector.read(sent).size(), sent);
  EXPECT_GT(send(link, text), 0u);
}

// Nothing of this may end the program, or hold it up.
TEST(DetectorLink, DetectorThatGoesIsSeen) {
  const ScratchFolder folder;
  UnixDetector detector(folder.file("socket"));
  DetectorLink link(folder.file("socket"));
  std::string text = "some";
  ASSERT_TRUE(link.connect());
  detector.accept();
  link.look();
  EXPECT_TRUE(link.is_up());
  detector.hang_up();
  EXPECT_EQ(send(link, text), 0u);
  EXPECT_FALSE(link.is_up());
  ASSERT_TRUE(link.connect());
  detector.accept();
  detector.hang_up();
  link.look();
  EXPECT_FALSE(link.is_up());
}

TEST(DetectorLink, WhatADetectorSaysIsThrownAway) {
  const ScratchFolder folder;
  UnixDetector detector(folder.file("socket"));
  DetectorLink link(folder.file("socket"));
  std::string text = "some";
  ASSERT_TRUE(link.connect());
  detector.accept();
  for (int i = 0; i < 200; ++i) {  // more than a socket holds
    ASSERT_TRUE(detector.say(std::string(10'000, 'y')));
    link.look();
  }
  EXPECT_TRUE(link.is_up());
  shutdown(detector.peer(), SHUT_WR);
  link.look();
  EXPECT_TRUE(link.is_up());
  EXPECT_FALSE(link.may_send());
  EXPECT_EQ(send(link, text), 4u);
  EXPECT_EQ(detector.read(4), "some");
}

TEST(DetectorLink, WithoutRightsItIsHopeless) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can be somebody else";
  const ScratchFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  const UnixDetector detector(folder.file("socket"));
  ASSERT_EQ(chmod(folder.file("socket").c_str(), 0700), 0);
  DetectorLink link(folder.file("socket"));
  ASSERT_EQ(seteuid(12345), 0);
  const bool connected = link.connect();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_FALSE(connected);
  EXPECT_TRUE(link.is_hopeless());
  EXPECT_EQ(link.why(), "Permission denied");
}

// Where others may make a socket, or a folder on the way to one, a socket of somebody else is no detector of ours.
TEST(DetectorLink, SocketOfSomebodyElseIsTakenOnlyWhereNoOtherMayPutOne) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can be somebody else";
  std::string top = "/run/warpmeter-test.XXXXXX";
  if (!mkdtemp(top.data())) GTEST_SKIP() << "a machine with a folder /run runs this: " << std::strerror(errno);
  const std::string folder = top + "/detector", path = folder + "/socket", link_path = top + "/link";
  std::filesystem::create_directory(folder);
  ASSERT_EQ(chown(folder.c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(top.c_str(), 0755), 0);
  ASSERT_EQ(seteuid(12345), 0);
  auto detector = std::make_unique<UnixDetector>(path);
  ASSERT_EQ(seteuid(0), 0);
  const auto refused = [&](const std::string& place) {
    DetectorLink link(place);
    const bool connected = link.connect();
    detector->accept();  // refused or not, it waits there; only one may
    if (connected) return std::string();
    EXPECT_TRUE(link.is_hopeless());
    return link.why();
  };
  const auto because_of = [](const std::string& open) {
    return "somebody else's socket: others may write in " + open + ", or own it";
  };
  EXPECT_EQ(refused(path), "");
  ASSERT_EQ(chmod(top.c_str(), 01777), 0);  // as /tmp is: the folder below may be anybody's
  EXPECT_EQ(refused(path), because_of(top));
  ASSERT_EQ(chmod(top.c_str(), 0775), 0);
  EXPECT_EQ(refused(path), because_of(top));
  ASSERT_EQ(chmod(top.c_str(), 0755), 0);
  ASSERT_EQ(chmod(folder.c_str(), 0775), 0);
  EXPECT_EQ(refused(path), because_of(folder));
  ASSERT_EQ(chmod(folder.c_str(), 0755), 0);
  ASSERT_EQ(chown(folder.c_str(), 54321, 54321), 0);
  EXPECT_EQ(refused(path), because_of(folder));
  ASSERT_EQ(chown(folder.c_str(), 0, 0), 0);
  EXPECT_EQ(refused(path), "");
  // Through links, what holds the links counts too.
  std::filesystem::create_directory_symlink("../" + top.substr(5) + "/detector/../detector", link_path);
  EXPECT_EQ(refused(link_path + "/socket"), "");
  ASSERT_EQ(lchown(link_path.c_str(), 54321, 54321), 0);
  EXPECT_EQ(refused(link_path + "/socket"), because_of(link_path));
  const ScratchFolder shared;
  ASSERT_EQ(chmod(shared.path().c_str(), 01777), 0);
  std::filesystem::create_directory_symlink(folder, shared.file("link"));
  EXPECT_NE(refused(shared.file("link/socket")), "");
  detector.reset();
  std::filesystem::remove_all(top);
}

// One of root's own programs, to which a link of somebody else leads, has asked for nothing.
TEST(DetectorLink, SocketOfRootThroughALinkOfSomebodyElseIsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can give links to somebody else";
  const ScratchFolder folder;
  const UnixDetector service(folder.file("socket"));
  const std::string path = std::filesystem::path(folder.file("link")).lexically_normal();
  std::filesystem::create_symlink("socket", path);
  DetectorLink own(path);
  EXPECT_TRUE(own.connect()) << own.why();
  ASSERT_EQ(lchown(path.c_str(), 54321, 54321), 0);
  DetectorLink others(path);
  EXPECT_FALSE(others.connect());
  EXPECT_TRUE(others.is_hopeless());
  EXPECT_EQ(others.why(), "reached through " + path + ", another user's link");
}

}  // namespace
}  // namespace warpmeter::test
