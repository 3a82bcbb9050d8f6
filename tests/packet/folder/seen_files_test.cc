// A file that was read is known again, whatever it is called by now; one that was written anew is not.
#include "packet/folder/seen_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

const SeenFile kFile{.name = "a", .number = 7, .size = 100, .changed_ns = 5, .first_ns = 1000};

bool knows(const SeenFile& file) {
  SeenFiles seen;
  seen.add(kFile);
  return seen.find(file) != nullptr;
}

TEST(SeenFiles, KnowsAFileByItsNumberSizeAndTime) {
  EXPECT_TRUE(knows(kFile));
  EXPECT_FALSE(knows({.name = "a", .number = 7, .size = 100, .changed_ns = 5, .first_ns = 1001}));  // written anew
  EXPECT_TRUE(knows({.name = "renamed", .number = 7, .size = 100, .changed_ns = 5}));
  EXPECT_FALSE(knows({.name = "a", .number = 8, .size = 100, .changed_ns = 5}));
  EXPECT_FALSE(knows({.name = "a", .number = 7, .size = 101, .changed_ns = 5}));
}

TEST(SeenFiles, AnotherFileMayHaveTheNumberOfOneThatIsGone) {
  SeenFile file = kFile;
  file.made_ns = 3;
  SeenFiles seen;
  seen.add(file);
  const auto is_known = [&](const SeenFile& other) { return seen.find(other) != nullptr; };
  SeenFile other{.name = "b", .number = 7, .size = 100, .changed_ns = 5, .made_ns = 4, .first_ns = 1000};
  EXPECT_FALSE(is_known(other));
  other.first_ns.reset();
  EXPECT_FALSE(is_known(other));
  seen.forget(other);  // its number is another's
  other.made_ns = 3;
  EXPECT_TRUE(is_known(other));
  // Where the file system does not say when it was made, a size or a name is the same.
  other = {.name = "b", .number = 7, .size = 100, .changed_ns = 9, .first_ns = 1000};
  EXPECT_TRUE(is_known(other));
  other.size = 200;
  EXPECT_FALSE(is_known(other));
  other.name = "a";
  EXPECT_TRUE(is_known(other));
  seen.forget(file);
  EXPECT_EQ(seen.size(), 0U);
}

TEST(SeenFiles, OneThatHasGrownIsKnownByItsFirstPacket) {
  EXPECT_TRUE(knows({.name = "a", .number = 7, .size = 300, .changed_ns = 9, .first_ns = 1000}));
  EXPECT_FALSE(knows({.name = "a", .number = 7, .size = 300, .changed_ns = 9, .first_ns = 2000}));
}

TEST(SeenFiles, ACopyIsKnownByNameAndFirstPacket) {
  EXPECT_TRUE(knows({.name = "a", .number = 8, .size = 100, .changed_ns = 9, .first_ns = 1000}));
  EXPECT_TRUE(knows({.name = "a", .number = 8, .size = 300, .changed_ns = 9, .first_ns = 1000}));  // as rsync makes it
  EXPECT_FALSE(knows({.name = "b", .number = 8, .size = 100, .changed_ns = 9, .first_ns = 1000}));
  EXPECT_FALSE(knows({.name = "a", .number = 8, .size = 100, .changed_ns = 9, .first_ns = 1001}));
}

TEST(SeenFiles, AFileThatWasPackedIsKnown) {
  EXPECT_TRUE(knows({.name = "a.gz", .number = 8, .size = 50, .changed_ns = 9, .first_ns = 1000}));
  EXPECT_FALSE(knows({.name = "a.gz", .number = 8, .size = 50, .changed_ns = 9, .first_ns = 1001}));
  EXPECT_FALSE(knows({.name = "b.gz", .number = 8, .size = 50, .changed_ns = 9, .first_ns = 1000}));
  EXPECT_TRUE(packed_alike("a", "b.pcap"));
  EXPECT_TRUE(packed_alike("a.gz", "b.gz"));
  EXPECT_FALSE(packed_alike("a.gz", "a.zst"));
  EXPECT_FALSE(packed_alike("a", "a.zst"));
}

TEST(SeenFiles, FilesWithoutPacketsAreAlikeOnlyIfUnchanged) {
  SeenFiles seen;
  seen.add({.name = "a", .number = 7, .size = 24, .changed_ns = 5});
  EXPECT_EQ(seen.find({.name = "a", .number = 8, .size = 24, .changed_ns = 5}), nullptr);
  EXPECT_EQ(seen.find({.name = "a", .number = 7, .size = 24, .changed_ns = 6}), nullptr);
  EXPECT_NE(seen.find({.name = "a", .number = 7, .size = 24, .changed_ns = 5}), nullptr);
}

TEST(SeenFiles, WhatIsGoneIsForgotten) {
  const test::ScratchFolder folder;
  for (const char* const name : {"a", "b", "c"}) folder.write(name, {1});
  const int fd = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  SeenFiles seen;
  for (const char* const name : {"a", "b", "c"}) seen.add(look_at_entry(fd, name).value());
  std::filesystem::remove(folder.file("a"));
  std::filesystem::rename(folder.file("b"), folder.file("new"));
  seen.keep_those_in(fd);
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_NE(seen.find(look_at_entry(fd, "new").value()), nullptr);
  EXPECT_NE(seen.find(look_at_entry(fd, "c").value()), nullptr);
  close(fd);
}

TEST(SeenFiles, LooksAtRegularFilesAndThroughLinks) {
  const test::ScratchFolder folder;
  folder.write("a", {1, 2, 3});
  std::filesystem::create_symlink(folder.file("a"), folder.file("link"));
  std::filesystem::create_directory(folder.file("below"));
  const int fd = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(look_at_entry(fd, "a")->size, 3U);
  EXPECT_FALSE(look_at_entry(fd, "a")->is_link);
  EXPECT_TRUE(look_at_entry(fd, "link")->is_link);
  EXPECT_EQ(look_at_entry(fd, "link")->number, look_at_entry(fd, "a")->number);
  EXPECT_FALSE(look_at_entry(fd, "below"));
  EXPECT_FALSE(look_at_entry(fd, "none"));
  close(fd);
}

}  // namespace
}  // namespace warpmeter
