// Files that get their names last, where the file system has nameless ones and where it has not: what they replace,
// what they leave alone, what goes wrong.
#include "base/files/part_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <system_error>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using test::ScratchFolder;
using test::write_file;
using Name = PartFile::Name;

bool has_nameless_files(const ScratchFolder& folder) {
  const int fd = open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

class PartFileNamed : public testing::TestWithParam<Name> {
 protected:
  std::string out() const { return folder_.file("out.csv"); }
  std::unique_ptr<PartFile> made(const std::string& text) const {
    auto part = std::make_unique<PartFile>(place_of(out()), GetParam());
    EXPECT_EQ(write(part->descriptor(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    return part;
  }
  // The number of the error; 0 if there is none.
  static int error_of_commit(PartFile& part) {
    try {
      part.commit();
      return 0;
    } catch (const std::system_error& error) {
      return error.code().value();
    }
  }
  mode_t mode() const {
    struct stat status {};
    EXPECT_EQ(stat(out().c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  const ScratchFolder folder_;
};

// What was looked at may have been another file, which a link led to a moment ago.
TEST_P(PartFileNamed, HasTheRightsOfTheFileThatIsThereWhenItIsMade) {
  write_file(out(), std::string("old"));
  ASSERT_EQ(chmod(out().c_str(), 0666), 0);
  const OutputPlace place = place_of(out());
  ASSERT_EQ(chmod(out().c_str(), 0600), 0);
  PartFile part(place, GetParam());
  part.commit();
  EXPECT_EQ(mode(), 0600u);
}

TEST_P(PartFileNamed, IsNotThereUnderItsNameBeforeCommit) {
  const auto part = made("new");
  EXPECT_FALSE(fs::exists(out()));
  const bool nameless = GetParam() == Name::none_if_possible && has_nameless_files(folder_);
  EXPECT_EQ(folder_.entries(), nameless ? 0u : 1u);
  part->commit();
  EXPECT_EQ(file_text(out()), "new");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, WithoutCommitIsGone) {
  made("new");
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_P(PartFileNamed, OfSeveralTheLastStaysWhole) {
  const auto one = made("one"), two = made("two, longer"), three = made("3");
  two->commit();
  EXPECT_EQ(file_text(out()), "two, longer");
  one->commit();
  EXPECT_EQ(file_text(out()), "one");
  three->commit();
  EXPECT_EQ(file_text(out()), "3");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, RightsOfAFileThatIsReplacedStay) {
  write_file(out(), std::string("old"));
  for (const mode_t wanted : {0600u, 0646u, 0755u}) {
    ASSERT_EQ(chmod(out().c_str(), wanted), 0);
    const auto part = made("new");
    struct stat status {};
    EXPECT_EQ(fstat(part->descriptor(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, wanted) << "while it is written";
    part->commit();
    EXPECT_EQ(mode(), wanted);
  }
}

TEST_P(PartFileNamed, OwnerOfAFileThatIsReplacedStays) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  write_file(out(), std::string("old"));
  ASSERT_EQ(chown(out().c_str(), 65534, 65533), 0);
  made("new")->commit();
  struct stat status {};
  ASSERT_EQ(stat(out().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65534u);
  EXPECT_EQ(status.st_gid, 65533u);
}

TEST_P(PartFileNamed, NewFileHasTheUsualRights) {
  for (const mode_t mask : {0u, 022u, 077u}) {
    const mode_t before = umask(mask);
    made("new")->commit();
    umask(before);
    EXPECT_EQ(mode(), 0666 & ~mask);
    fs::remove(out());
  }
}

TEST_P(PartFileNamed, OfTheOwnerIsForNobodyElse) {
  const mode_t before = umask(0);
  PartFile(place_of(out()), GetParam(), Readers::owner).commit();
  EXPECT_EQ(mode(), 0600u);
  ASSERT_EQ(chmod(out().c_str(), 0640), 0);
  PartFile(place_of(out()), GetParam(), Readers::owner).commit();
  EXPECT_EQ(mode(), 0640u) << "somebody has given it other rights";
  umask(before);
}

TEST_P(PartFileNamed, IsTakenBack) {
  for (const bool replaces : {false, true}) {
    if (replaces) write_file(out(), std::string("old"));
    const auto part = made("new");
    part->commit_for_now();
    EXPECT_EQ(file_text(out()), "new");
    part->take_back();
    EXPECT_EQ(fs::exists(out()), replaces);
    if (replaces) EXPECT_EQ(file_text(out()), "old");
  }
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, StaysUnlessItIsTakenBack) {
  for (const char* text : {"first", "second"}) {
    made(text)->commit_for_now();
    EXPECT_EQ(file_text(out()), text);
    EXPECT_EQ(folder_.entries(), 1u);
  }
}

TEST_P(PartFileNamed, WhatComesMeanwhileIsReplacedAndComesBack) {
  const auto part = made("new");
  write_file(out(), std::string("meanwhile"));
  part->commit_for_now();
  EXPECT_EQ(file_text(out()), "new");
  part->take_back();
  EXPECT_EQ(file_text(out()), "meanwhile");
  EXPECT_EQ(folder_.entries(), 1u);
}

// Somebody has put another file into its place since.
TEST_P(PartFileNamed, AnothersFileIsNotTakenBack) {
  const auto part = made("new");
  part->commit_for_now();
  write_file(folder_.file("other"), std::string("other"));
  fs::rename(folder_.file("other"), out());
  part->take_back();
  EXPECT_EQ(file_text(out()), "other");
}

TEST_P(PartFileNamed, FolderThatAppearsMeanwhileIsNotExchanged) {
  auto part = made("new");
  fs::create_directory(out());
  EXPECT_THROW(part->commit_for_now(), std::system_error);
  part.reset();
  EXPECT_TRUE(fs::is_directory(out()));
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, LinkThatAppearsMeanwhileIsNotFollowed) {
  write_file(folder_.file("precious"), std::string("mine"));
  const auto part = made("new");
  fs::create_symlink(folder_.file("precious"), out());
  part->commit();
  EXPECT_EQ(file_text(folder_.file("precious")), "mine");
  EXPECT_EQ(file_text(out()), "new");
}

TEST_P(PartFileNamed, FolderThatAppearsMeanwhileIsAnError) {
  auto part = made("new");
  fs::create_directory(out());
  EXPECT_EQ(error_of_commit(*part), EISDIR);
  part.reset();
  EXPECT_TRUE(fs::is_directory(out()));
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, FolderThatIsGoneIsAnError) {
  fs::create_directory(folder_.file("gone"));
  PartFile part(place_of(folder_.file("gone/out.csv")), GetParam());
  fs::remove_all(folder_.file("gone"));
  EXPECT_EQ(error_of_commit(part), ENOENT);
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_P(PartFileNamed, FolderThatIsRenamedHasTheFile) {
  fs::create_directory(folder_.file("before"));
  PartFile part(place_of(folder_.file("before/out.csv")), GetParam());
  fs::rename(folder_.file("before"), folder_.file("after"));
  part.commit();
  EXPECT_TRUE(fs::exists(folder_.file("after/out.csv")));
}

TEST_P(PartFileNamed, LongestNameIsPossible) {
  const std::string longest = folder_.file(std::string(255, 'n'));
  for (int i = 0; i < 2; ++i) {
    PartFile part(place_of(longest), GetParam());
    part.commit();
    EXPECT_TRUE(fs::exists(longest));
  }
  EXPECT_EQ(folder_.entries(), 1u);
}

// In a process of its own that is not root's: a file of root's in a folder like /tmp may be written, but not replaced.
TEST_P(PartFileNamed, FileOfAnotherInASharedFolderIsRefusedAtOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  write_file(out(), std::string("old"));
  ASSERT_EQ(chmod(out().c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 01777), 0);
  const auto attempt = [&] {
    if (setuid(65534) != 0) std::exit(2);
    try {
      const PartFile part(place_of(out()), GetParam());
    } catch (const std::system_error& error) {
      std::exit(error.code().value() == EPERM ? 0 : 1);
    }
    std::exit(3);
  };
  EXPECT_EXIT(attempt(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(folder_.entries(), 1u);
}

TEST_P(PartFileNamed, FileThatAnotherLeftForRootIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  write_file(out(), std::string("old"));
  ASSERT_EQ(chown(out().c_str(), 65534, 65534), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 01777), 0);
  EXPECT_THROW(made("new"), std::system_error);
  ASSERT_EQ(chmod(folder_.path().c_str(), 01755), 0);
  made("new")->commit();
  EXPECT_EQ(file_text(out()), "new");
}

// Where a group may write, as where everybody may. With the sticky bit for all outputs, without it for what nobody else
// may read.
TEST_P(PartFileNamed, FileThatOneOfAGroupLeftIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  const auto error_of = [&](mode_t folder_mode, Readers readers) {
    EXPECT_EQ(chmod(folder_.path().c_str(), folder_mode), 0);
    try {
      const PartFile part(place_of(out()), GetParam(), readers);
      return 0;
    } catch (const std::system_error& error) {
      return error.code().value();
    }
  };
  write_file(out(), std::string("old"));
  ASSERT_EQ(chmod(out().c_str(), 0600), 0);
  ASSERT_EQ(chown(out().c_str(), 65534, 65534), 0);
  for (const mode_t mode : {03775, 01770, 01777}) {
    EXPECT_EQ(error_of(mode, Readers::by_umask), EACCES) << mode;
    EXPECT_EQ(error_of(mode, Readers::owner), EACCES) << mode;
  }
  for (const mode_t mode : {02775, 0770, 0777}) {
    EXPECT_EQ(error_of(mode, Readers::by_umask), 0) << mode;
    EXPECT_EQ(error_of(mode, Readers::owner), EACCES) << mode;
  }
  EXPECT_EQ(error_of(0755, Readers::owner), 0) << "nobody else could put it there";
  ASSERT_EQ(chown(folder_.path().c_str(), 65534, 65534), 0);
  for (const mode_t mode : {0755, 0775, 03775}) EXPECT_EQ(error_of(mode, Readers::owner), 0) << "the folder's owner's";
  ASSERT_EQ(chown(folder_.path().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(out().c_str(), 0, 0), 0);
  EXPECT_EQ(error_of(03775, Readers::owner), 0) << "root's own";
}

INSTANTIATE_TEST_SUITE_P(Both, PartFileNamed, testing::Values(Name::none_if_possible, Name::at_once),
                         [](const auto& kind) { return kind.param == Name::at_once ? "AtOnce" : "Last"; });

}  // namespace
}  // namespace warpmeter
