// The folder of a set: there when it is complete, and never in the way of anything else.
#include "decoding/set_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;
using test::thrown_text;

std::string refused_folder(const std::string& name) {
  return thrown_text([&] { const SetFolder folder(name); });
}

TEST(SetFolder, GetsItsNameWhenItIsComplete) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    SetFolder folder(name);
    EXPECT_FALSE(fs::exists(name));
    EXPECT_EQ(fs::path(folder.path()).parent_path(), scratch.path());
    test::write_file(folder.path() + "/a", std::string("x"));
    folder.commit();
    EXPECT_EQ(test::file_text(name + "/a"), "x");
  }
  EXPECT_EQ(test::file_text(name + "/a"), "x");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(SetFolder, LeavesNothingOfWhatWasNotFinished) {
  const ScratchFolder scratch;
  {
    const SetFolder folder(scratch.file("set"));
    test::write_file(folder.path() + "/a", std::string("x"));
    EXPECT_EQ(scratch.entries(), 1u);
  }
  EXPECT_EQ(scratch.entries(), 0u);
}

TEST(SetFolder, MayBeThereIfItIsEmpty) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("set"));
  SetFolder folder(scratch.file("set"));
  test::write_file(folder.path() + "/a", std::string("x"));
  folder.commit();
  EXPECT_EQ(test::file_text(scratch.file("set/a")), "x");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(SetFolder, RefusesWhatIsThere) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("full"));
  test::write_file(scratch.file("full/a"), std::string("x"));
  test::write_file(scratch.file("file"), std::string("x"));
  fs::create_directory(scratch.file("empty"));
  fs::create_symlink(scratch.file("empty"), scratch.file("link"));
  fs::create_symlink(scratch.file("nothing"), scratch.file("dangling"));
  EXPECT_NE(refused_folder(scratch.file("full")).find("full: the folder is not empty"), std::string::npos);
  EXPECT_NE(refused_folder(scratch.file("full/")).find("full: the folder is not empty"), std::string::npos);
  EXPECT_NE(refused_folder(scratch.file("file")).find("is there, and no folder"), std::string::npos);
  for (const char* const name : {"link", "link/", "dangling"}) {
    EXPECT_NE(refused_folder(scratch.file(name)).find("is a link"), std::string::npos) << name;
  }
  EXPECT_EQ(scratch.entries(), 5u);
  EXPECT_EQ(test::file_text(scratch.file("full/a")), "x");
}

TEST(SetFolder, NamesAFolderThatCannotBeMade) {
  const ScratchFolder scratch;
  EXPECT_EQ(refused_folder(scratch.file("no/set")), scratch.file("no/set") + ": No such file or directory");
  test::write_file(scratch.file("file"), std::string("x"));
  EXPECT_NE(refused_folder(scratch.file("file/set")).find("Not a directory"), std::string::npos);
}

// Somebody puts something there meanwhile: it stays, and nothing is left of ours.
TEST(SetFolder, NeverReplacesWhatOthersPutThere) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    SetFolder folder(name);
    fs::create_directory(name);
    test::write_file(name + "/theirs", std::string("x"));
    EXPECT_EQ(thrown_text([&] { folder.commit(); }), name + ": somebody else has put something there");
  }
  EXPECT_EQ(test::file_text(name + "/theirs"), "x");
  EXPECT_EQ(scratch.entries(), 1u);
  fs::remove_all(name);
  {
    SetFolder folder(name);
    test::write_file(name, std::string("theirs"));
    EXPECT_EQ(thrown_text([&] { folder.commit(); }), name + ": somebody else has put something there");
  }
  EXPECT_EQ(test::file_text(name), "theirs");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(SetFolder, OfTwoTheFirstToBeCompleteStays) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    SetFolder one(name), other(name);
    test::write_file(one.path() + "/one", std::string("x"));
    test::write_file(other.path() + "/other", std::string("x"));
    other.commit();
    EXPECT_NE(thrown_text([&] { one.commit(); }), "");
  }
  EXPECT_TRUE(fs::exists(name + "/other"));
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(SetFolder, SlashAtTheEndIsNoName) {
  const ScratchFolder scratch;
  SetFolder folder(scratch.file("set///"));
  EXPECT_TRUE(folder.path().starts_with(scratch.file("set.part-")));
  folder.commit();
  EXPECT_TRUE(fs::is_directory(scratch.file("set")));
}

TEST(SetFolder, MayHaveARelativeName) {
  const ScratchFolder scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  {
    SetFolder folder("set");
    folder.commit();
  }
  fs::current_path(before);
  EXPECT_TRUE(fs::is_directory(scratch.file("set")));
}

TEST(SetFolder, HasTheRightsThatFoldersHave) {
  const ScratchFolder scratch;
  const mode_t before = umask(027);
  {
    SetFolder folder(scratch.file("set"));
    folder.commit();
  }
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(scratch.file("set").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0750u);
}

}  // namespace
}  // namespace warpmeter
