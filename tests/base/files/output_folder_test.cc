// A folder of files: there when it is complete, and never in the way of anything else.
#include "base/files/output_folder.h"

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
  return thrown_text([&] { const OutputFolder folder(name, "files"); });
}

TEST(OutputFolder, GetsItsNameWhenItIsComplete) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    OutputFolder folder(name, "files");
    EXPECT_FALSE(fs::exists(name));
    EXPECT_EQ(fs::path(folder.path()).parent_path(), scratch.path());
    test::write_file(folder.path() + "/a", std::string("x"));
    folder.commit();
    EXPECT_EQ(test::file_text(name + "/a"), "x");
  }
  EXPECT_EQ(test::file_text(name + "/a"), "x");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(OutputFolder, LeavesNothingOfWhatWasNotFinished) {
  const ScratchFolder scratch;
  {
    const OutputFolder folder(scratch.file("set"), "files");
    test::write_file(folder.path() + "/a", std::string("x"));
    EXPECT_EQ(scratch.entries(), 1u);
  }
  EXPECT_EQ(scratch.entries(), 0u);
}

TEST(OutputFolder, IsTakenBack) {
  for (const bool was_there : {false, true}) {
    const ScratchFolder scratch;
    if (was_there) fs::create_directory(scratch.file("set"));
    {
      OutputFolder folder(scratch.file("set"), "files");
      test::write_file(folder.path() + "/a", std::string("x"));
      folder.commit();
      EXPECT_TRUE(fs::exists(scratch.file("set/a")));
      folder.take_back();
    }
    EXPECT_EQ(fs::exists(scratch.file("set")), was_there);
    EXPECT_FALSE(fs::exists(scratch.file("set/a")));
    EXPECT_EQ(scratch.entries(), was_there ? 1u : 0u);
  }
}

TEST(OutputFolder, OfTheOwnerIsForNobodyElse) {
  const ScratchFolder scratch;
  const mode_t before = umask(0);
  OutputFolder(scratch.file("set"), "files", Readers::owner).commit();
  umask(before);
  EXPECT_EQ(fs::status(scratch.file("set")).permissions(), fs::perms::owner_all);
}

TEST(OutputFolder, MayBeThereIfItIsEmpty) {
  const ScratchFolder scratch;
  fs::create_directory(scratch.file("set"));
  OutputFolder folder(scratch.file("set"), "files");
  test::write_file(folder.path() + "/a", std::string("x"));
  folder.commit();
  EXPECT_EQ(test::file_text(scratch.file("set/a")), "x");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(OutputFolder, RefusesWhatIsThere) {
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

TEST(OutputFolder, NamesAFolderThatCannotBeMade) {
  const ScratchFolder scratch;
  EXPECT_EQ(refused_folder(scratch.file("no/set")), scratch.file("no/set") + ": No such file or directory");
  test::write_file(scratch.file("file"), std::string("x"));
  EXPECT_NE(refused_folder(scratch.file("file/set")).find("Not a directory"), std::string::npos);
}

// Somebody puts something there meanwhile: it stays, and nothing is left of ours.
TEST(OutputFolder, NeverReplacesWhatOthersPutThere) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    OutputFolder folder(name, "files");
    fs::create_directory(name);
    test::write_file(name + "/theirs", std::string("x"));
    EXPECT_EQ(thrown_text([&] { folder.commit(); }), name + ": somebody else has put something there");
  }
  EXPECT_EQ(test::file_text(name + "/theirs"), "x");
  EXPECT_EQ(scratch.entries(), 1u);
  fs::remove_all(name);
  {
    OutputFolder folder(name, "files");
    test::write_file(name, std::string("theirs"));
    EXPECT_EQ(thrown_text([&] { folder.commit(); }), name + ": somebody else has put something there");
  }
  EXPECT_EQ(test::file_text(name), "theirs");
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(OutputFolder, OfTwoTheFirstToBeCompleteStays) {
  const ScratchFolder scratch;
  const std::string name = scratch.file("set");
  {
    OutputFolder one(name, "files"), other(name, "files");
    test::write_file(one.path() + "/one", std::string("x"));
    test::write_file(other.path() + "/other", std::string("x"));
    other.commit();
    EXPECT_NE(thrown_text([&] { one.commit(); }), "");
  }
  EXPECT_TRUE(fs::exists(name + "/other"));
  EXPECT_EQ(scratch.entries(), 1u);
}

TEST(OutputFolder, SlashAtTheEndIsNoName) {
  const ScratchFolder scratch;
  OutputFolder folder(scratch.file("set///"), "files");
  EXPECT_TRUE(folder.path().starts_with(scratch.file("set.part-")));
  folder.commit();
  EXPECT_TRUE(fs::is_directory(scratch.file("set")));
}

TEST(OutputFolder, MayHaveARelativeName) {
  const ScratchFolder scratch;
  const fs::path before = fs::current_path();
  fs::current_path(scratch.path());
  {
    OutputFolder folder("set", "files");
    folder.commit();
  }
  fs::current_path(before);
  EXPECT_TRUE(fs::is_directory(scratch.file("set")));
}

TEST(OutputFolder, HasTheRightsThatFoldersHave) {
  const ScratchFolder scratch;
  const mode_t before = umask(027);
  {
    OutputFolder folder(scratch.file("set"), "files");
    folder.commit();
  }
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(scratch.file("set").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0750u);
}

// They are those that it was made with: a chmod(2) would take the bit away that it has of the folder above.
TEST(OutputFolder, RightsAreNotChangedOnceItIsThere) {
  const ScratchFolder scratch;
  ASSERT_EQ(chmod(scratch.path().c_str(), 02755), 0);
  const OutputFolder folder(scratch.file("set"), "files");
  struct stat status {};
  ASSERT_EQ(stat(folder.path().c_str(), &status), 0);
  EXPECT_TRUE(status.st_mode & S_ISGID);
}

}  // namespace
}  // namespace warpmeter
