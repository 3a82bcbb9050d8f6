// Who may decide what lies at a path: links that somebody else put where he may write are planted, those of the owner
// of their folder are not.
#include "base/files/path_owners.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using Link = std::optional<std::string>;

constexpr uid_t kOther = 12345, kThird = 54321;

class PlantedLink : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can give links to somebody else";
    fs::create_directory(scratch_.file("secret"));
    test::write_file(scratch_.file("secret/a"), std::string("mine"));
    fs::create_directory(shared_);
    fs::create_symlink(scratch_.file("secret/a"), link_);
  }
  // `owner` of the link; `folder_owner` and `mode` of the folder that it is in.
  Link found(uid_t owner, uid_t folder_owner, mode_t mode, const std::string& path) const {
    EXPECT_EQ(lchown(link_.c_str(), owner, owner), 0);
    EXPECT_EQ(chown(shared_.c_str(), folder_owner, folder_owner), 0);
    EXPECT_EQ(chmod(shared_.c_str(), mode), 0);
    return planted_link(path);
  }
  Link found(uid_t owner, uid_t folder_owner, mode_t mode) const { return found(owner, folder_owner, mode, link_); }

  const test::ScratchFolder scratch_;
  const std::string shared_ = scratch_.file("shared");
  const std::string link_ = fs::path(shared_ + "/link").lexically_normal().string();
};

TEST_F(PlantedLink, IsOneOfSomebodyElseWhereOthersMayWrite) {
  for (const mode_t mode : {0777, 01777, 0775, 0757}) EXPECT_EQ(found(kOther, 0, mode), link_) << mode;
  for (const mode_t mode : {0777, 01777}) EXPECT_EQ(found(kOther, kThird, mode), link_) << mode;
}

TEST_F(PlantedLink, IsNoneOfTheOwnerOfTheFolderNorOfRootNorWhereNoOtherMayWrite) {
  for (const mode_t mode : {0777, 01777, 0755}) {
    EXPECT_EQ(found(kOther, kOther, mode), Link()) << mode;
    EXPECT_EQ(found(0, kOther, mode), Link()) << mode;
  }
  EXPECT_EQ(found(kOther, 0, 0755), Link());  // the owner put it there, or gave it to him
}

TEST_F(PlantedLink, IsFoundAnywhereOnTheWay) {
  fs::create_symlink("shared/link", scratch_.file("to_link"));
  EXPECT_EQ(found(kOther, 0, 0777, scratch_.file("to_link")), link_);
  fs::remove(link_);
  fs::create_directory_symlink(scratch_.file("secret"), link_);
  EXPECT_EQ(found(kOther, 0, 0777, link_ + "/a"), link_);
  EXPECT_EQ(found(kOther, 0, 0777, scratch_.file("to_link/../secret/a")), link_);
  EXPECT_EQ(found(0, 0, 0777, link_ + "/a"), Link());
}

TEST_F(PlantedLink, IsOneInAFolderThatSomebodyElseMadeWhereOthersMayWrite) {
  const std::string below = fs::path(link_).parent_path().string() + "/below", link = below + "/link";
  EXPECT_EQ(found(kOther, 0, 01777, below), Link());
  fs::create_directory(below);
  fs::create_symlink(scratch_.file("secret/a"), link);
  ASSERT_EQ(chown(below.c_str(), kOther, kOther), 0);
  ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
  EXPECT_EQ(planted_link(link), link);
  ASSERT_EQ(lchown(link.c_str(), 0, 0), 0);
  EXPECT_EQ(planted_link(link), Link());  // root's
  ASSERT_EQ(lchown(link.c_str(), kOther, kOther), 0);
  ASSERT_EQ(chmod(shared_.c_str(), 0755), 0);
  EXPECT_EQ(planted_link(link), Link());  // who may write there gave him the folder
}

TEST(LinkOfOthers, IsTheFirstOnTheWay) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can give links to somebody else";
  const test::ScratchFolder scratch;
  const std::string top = fs::canonical(scratch.path()).string();
  fs::create_directory(top + "/folder");
  test::write_file(top + "/folder/file", std::string("x"));
  fs::create_directory_symlink("folder", top + "/ours");
  fs::create_symlink("ours/file", top + "/theirs");
  EXPECT_EQ(link_of_others(OpenedWay(top + "/theirs")), Link());
  ASSERT_EQ(lchown((top + "/theirs").c_str(), kOther, kOther), 0);
  EXPECT_EQ(link_of_others(OpenedWay(top + "/ours/file")), Link());
  EXPECT_EQ(link_of_others(OpenedWay(top + "/theirs")), top + "/theirs");
  EXPECT_EQ(link_of_others(OpenedWay(top + "/ours/../theirs")), top + "/theirs");
}

TEST_F(PlantedLink, WhatCannotBeLookedAtIsNone) {
  EXPECT_EQ(planted_link(""), Link());
  EXPECT_EQ(planted_link(scratch_.file("none")), Link());
  EXPECT_EQ(planted_link(scratch_.file("none/below")), Link());
  fs::create_symlink("circle", scratch_.file("circle"));
  EXPECT_EQ(planted_link(scratch_.file("circle")), Link());
  fs::create_symlink(scratch_.file("none"), scratch_.file("dangling"));
  EXPECT_EQ(planted_link(scratch_.file("dangling")), Link());
}

}  // namespace
}  // namespace warpmeter
