// The way to what lies at a path: what is opened is what open(2) opens, and all that was passed is told.
#include "base/files/opened_way.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

// 0, or the error; it must be the same file, or the same error, as without any judgement.
int error_of(const std::string& path) {
  const OpenedWay way(path);
  struct stat status {};
  EXPECT_EQ(way.error(), stat(path.c_str(), &status) == 0 ? 0 : errno) << path;
  if (way.error()) return way.error();
  EXPECT_EQ(way.status().st_ino, status.st_ino) << path;
  struct stat opened {};
  EXPECT_EQ(fstat(way.fd(), &opened), 0);
  EXPECT_EQ(opened.st_ino, status.st_ino) << path;
  return 0;
}

TEST(OpenedWay, LeadsWhereThePathDoes) {
  const ScratchFolder scratch;
  fs::create_directories(scratch.file("a/b"));
  test::write_file(scratch.file("a/b/file"), std::string("x"));
  fs::create_directory_symlink("a/b", scratch.file("relative"));
  fs::create_directory_symlink(scratch.file("relative/.."), scratch.file("absolute"));
  fs::create_symlink("../absolute/b/file", scratch.file("a/to_file"));
  fs::create_symlink("circle", scratch.file("circle"));
  fs::create_symlink("none", scratch.file("dangling"));
  for (const char* const good : {"a/b/file", "relative/file", "relative/../b/./file", "absolute/b//file", "a/to_file",
                                 "relative/", "absolute/"}) {
    EXPECT_EQ(error_of(scratch.file(good)), 0) << good;
  }
  EXPECT_EQ(error_of(scratch.file("none")), ENOENT);
  EXPECT_EQ(error_of(scratch.file("dangling")), ENOENT);
  EXPECT_EQ(error_of(scratch.file("circle")), ELOOP);
  EXPECT_EQ(error_of(scratch.file("a/b/file/below")), ENOTDIR);
  EXPECT_EQ(error_of(scratch.file("a/b/file/")), ENOTDIR);
  EXPECT_EQ(error_of("/"), 0);
  fs::create_directory_symlink("/", scratch.file("top"));
  EXPECT_EQ(error_of(scratch.file("top")), 0);
  EXPECT_EQ(error_of("."), 0);
  EXPECT_EQ(error_of("/proc/self/exe"), 0);
}

TEST(OpenedWay, TellsWhatItPassed) {
  const ScratchFolder scratch;
  const fs::path top = fs::canonical(scratch.path());
  fs::create_directory(top / "folder");
  test::write_file(top / "folder/file", std::string("x"));
  fs::create_directory_symlink("folder", top / "link");
  const OpenedWay way(top / "folder/../link/file");
  std::vector<std::string> expected;
  for (fs::path above = top;; above = above.parent_path()) {
    expected.insert(expected.begin(), above);
    if (above == "/") break;
  }
  for (const char* name : {"folder", "link", "folder"}) expected.push_back(top / name);
  std::vector<std::string> passed;
  for (const PassedEntry& entry : way.passed()) {
    passed.push_back(entry.path);
    struct stat status {
    }, folder{};
    EXPECT_EQ(lstat(entry.path.c_str(), &status), 0);
    EXPECT_EQ(stat(fs::path(entry.path).parent_path().c_str(), &folder), 0);
    EXPECT_EQ(entry.status.st_ino, status.st_ino) << entry.path;
    EXPECT_EQ(entry.folder.st_ino, folder.st_ino) << entry.path;
  }
  EXPECT_EQ(passed, expected);
}

// Somebody puts a link into its place meanwhile: what was judged stays open.
TEST(OpenedWay, WhatComesIntoItsPlaceIsNotOpened) {
  const ScratchFolder scratch;
  fs::create_directories(scratch.file("mine"));
  test::write_file(scratch.file("mine/file"), std::string("mine"));
  test::write_file(scratch.file("other"), std::string("other"));
  const OpenedWay way(scratch.file("mine/file"));
  ASSERT_EQ(way.error(), 0);
  fs::remove(scratch.file("mine/file"));
  fs::create_symlink(scratch.file("other"), scratch.file("mine/file"));
  EXPECT_EQ(fs::file_size("/proc/self/fd/" + std::to_string(way.fd())), 4u);
}

}  // namespace
}  // namespace warpmeter
