// Where outputs come to lie: plain names, links to something and to nothing, descriptors, what is no place at all.
#include "base/files/output_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;
using test::thrown_text;
using test::write_file;

bool same_folder(const std::string& a, const std::string& b) { return fs::equivalent(a, b); }

TEST(OutputPlace, OfANewFileIsItsFolderAndName) {
  const ScratchFolder folder;
  const OutputPlace place = place_of(folder.file("out.csv"));
  EXPECT_TRUE(same_folder(place.folder, folder.path()));
  EXPECT_EQ(place.base, "out.csv");
  EXPECT_FALSE(place.there);
  EXPECT_FALSE(place.descriptor);
}

TEST(OutputPlace, WithoutAFolderIsTheWorkingFolder) {
  const OutputPlace place = place_of("no such file here.csv");
  EXPECT_EQ(place.folder, ".");
  EXPECT_EQ(place.base, "no such file here.csv");
}

TEST(OutputPlace, LinksAreFollowedToWhatIsThere) {
  const ScratchFolder folder;
  fs::create_directory(folder.file("far"));
  write_file(folder.file("far/real"), std::string("old"));
  fs::create_symlink("far/real", folder.file("one"));
  fs::create_symlink("one", folder.file("two"));
  const OutputPlace place = place_of(folder.file("two"));
  EXPECT_TRUE(same_folder(place.folder, folder.file("far")));
  EXPECT_EQ(place.base, "real");
  ASSERT_TRUE(place.there);
  EXPECT_EQ(place.there->st_size, 3);
}

TEST(OutputPlace, LinksAreFollowedToWhatIsNotThereYet) {
  const ScratchFolder folder;
  fs::create_directory(folder.file("far"));
  fs::create_symlink("far/later", folder.file("one"));
  fs::create_symlink(folder.file("one"), folder.file("far/two"));
  const OutputPlace place = place_of(folder.file("far/two"));
  EXPECT_TRUE(same_folder(place.folder, folder.file("far")));
  EXPECT_EQ(place.base, "later");
  EXPECT_FALSE(place.there);
}

TEST(OutputPlace, LinksInACircleAreAnError) {
  const ScratchFolder folder;
  fs::create_symlink("two", folder.file("one"));
  fs::create_symlink("one", folder.file("two"));
  EXPECT_EQ(thrown_text([&] { place_of(folder.file("one")); }),
            folder.file("one") + ": cannot be written: Too many levels of symbolic links");
}

TEST(OutputPlace, LinkOfAnotherInASharedFolderIsNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  const ScratchFolder folder;
  write_file(folder.file("precious"), std::string("mine"));
  for (const char* target : {"precious", "not yet"}) {
    const std::string link = folder.file(std::string("link to ") + target);
    fs::create_symlink(target, link);
    ASSERT_EQ(lchown(link.c_str(), 65534, 65534), 0);
    for (const mode_t mode : {01777, 0777, 0775}) {
      ASSERT_EQ(chmod(folder.path().c_str(), mode), 0);
      EXPECT_EQ(thrown_text([&] { place_of(link); }), link + ": cannot be written: Permission denied") << mode;
    }
    ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
    EXPECT_EQ(place_of(link).base, target);
  }
}

// As links are: a regular file is refused by who replaces it (PartFile).
TEST(OutputPlace, PipeOfAnotherInASharedFolderIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  const ScratchFolder folder;
  const std::string pipe = folder.file("pipe"), link = folder.file("link");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0666), 0);
  fs::create_symlink("pipe", link);
  ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
  EXPECT_EQ(place_of(pipe).base, "pipe") << "ours";
  ASSERT_EQ(chown(pipe.c_str(), 65534, 65534), 0);
  for (const std::string& name : {pipe, link}) {
    EXPECT_EQ(thrown_text([&] { place_of(name); }), name + ": cannot be written: Permission denied");
  }
  for (const mode_t not_shared : {0777, 01755}) {
    ASSERT_EQ(chmod(folder.path().c_str(), not_shared), 0);
    EXPECT_EQ(place_of(pipe).base, "pipe") << not_shared;
  }
  for (const mode_t group : {0775, 03775}) {
    ASSERT_EQ(chmod(folder.path().c_str(), group), 0);
    EXPECT_NE(thrown_text([&] { place_of(pipe, Readers::owner); }), "") << group;
  }
  ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
  ASSERT_EQ(chown(folder.path().c_str(), 65534, 65534), 0);
  EXPECT_EQ(place_of(pipe).base, "pipe") << "the folder's owner's";
}

TEST(OutputPlace, SocketAndDeviceOfAnotherInASharedFolderAreRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this";
  const ScratchFolder folder;
  ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
  for (const auto& [name, kind] : {std::pair("socket", mode_t{S_IFSOCK}), std::pair("device", mode_t{S_IFCHR})}) {
    const std::string path = folder.file(name);
    if (mknod(path.c_str(), kind | 0666, makedev(1, 3)) != 0) GTEST_SKIP() << "who may make devices runs this";
    EXPECT_EQ(place_of(path).base, name);
    ASSERT_EQ(chown(path.c_str(), 65534, 65534), 0);
    EXPECT_EQ(thrown_text([&] { place_of(path); }), path + ": cannot be written: Permission denied");
  }
}

TEST(OutputPlace, DescriptorsAreToldByTheirNames) {
  for (const char* name : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(place_of(name).descriptor, STDOUT_FILENO) << name;
  }
  EXPECT_EQ(place_of("/dev/stderr").descriptor, STDERR_FILENO);
  EXPECT_EQ(thrown_text([] { place_of("/dev/fd/987654"); }), "/dev/fd/987654: cannot be written: Bad file descriptor");
  EXPECT_FALSE(place_of("/dev/null").descriptor);
}

TEST(OutputPlace, FoldersAndFilesTakenForFoldersAreErrors) {
  const ScratchFolder folder;
  write_file(folder.file("file"), std::string("x"));
  EXPECT_EQ(thrown_text([&] { place_of(folder.path()); }), folder.path() + ": is a folder");
  EXPECT_TRUE(thrown_text([&] { place_of(folder.file("file/out.csv")); }).ends_with("Not a directory"));
  EXPECT_TRUE(thrown_text([&] { place_of(folder.file("new/")); }).ends_with("Is a directory"));
}

}  // namespace
}  // namespace warpmeter
