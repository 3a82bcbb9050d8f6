// Outputs that are inputs or each other, by any name; what may be both.
#include "base/program/files_in_use.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;
using test::thrown_text;
using test::write_file;

class FilesInUseOf : public testing::Test {
 protected:
  FilesInUseOf() {
    write_file(path("in"), std::string("input"));
    write_file(path("other"), std::string("another"));
    fs::create_symlink("in", path("link"));
    fs::create_hard_link(path("in"), path("hard"));
    fs::create_directory_symlink(folder_.path(), path("folder"));
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::string refused(const std::string& input, const std::string& output) const {
    return thrown_text([&] { FilesInUse({path("other"), path(input)}).claim(path(output)); });
  }
  const ScratchFolder folder_;
};

TEST_F(FilesInUseOf, InputIsRefusedByAnyName) {
  for (const char* input : {"in", "link", "hard", "folder/in", "folder/./link"}) {
    for (const char* output : {"in", "link", "hard", "folder/in", "./in"}) {
      EXPECT_EQ(refused(input, output),
                path(output) + ": is an input too (" + path(input) + "), and no input is overwritten");
    }
  }
}

TEST_F(FilesInUseOf, WhatIsNoInputIsNot) {
  write_file(path("old"), std::string("an older output"));
  fs::create_symlink("missing", path("dangling"));
  for (const char* output : {"new", "old", "folder/new", "dangling", "in.csv"}) EXPECT_EQ(refused("in", output), "");
}

TEST_F(FilesInUseOf, InputsThatAreMissingAreNoHindrance) {
  EXPECT_EQ(thrown_text([&] { FilesInUse({path("missing"), "/dev/null"}).claim(path("missing")); }), "");
  EXPECT_NE(thrown_text([&] { FilesInUse({path("missing"), path("in")}).claim(path("in")); }), "");
}

TEST_F(FilesInUseOf, OutputIsRefusedTheSecondTime) {
  FilesInUse in_use({path("in")});
  in_use.claim(path("new"));
  EXPECT_EQ(thrown_text([&] { in_use.claim(path("folder/new")); }),
            path("folder/new") + ": is another output too (" + path("new") + ")");
  fs::create_symlink("new", path("to new"));
  EXPECT_NE(thrown_text([&] { in_use.claim(path("to new")); }), "");
  in_use.claim(path("newer"));
}

TEST_F(FilesInUseOf, CheckDoesNotRemember) {
  FilesInUse in_use({path("in")});
  in_use.claim(path("stats"));
  for (int i = 0; i < 2; ++i) in_use.check(path("part"));
  EXPECT_NE(thrown_text([&] { in_use.check(path("stats")); }), "");
  EXPECT_NE(thrown_text([&] { in_use.check(path("hard")); }), "");
}

TEST_F(FilesInUseOf, WhatIsKeptIsRefusedButForOneOfItsKind) {
  FilesInUse in_use({path("in")}, [&](const std::string& file) { return file == path("other") ? "a capture" : ""; });
  EXPECT_EQ(thrown_text([&] { in_use.claim(path("other")); }),
            path("other") + ": is a capture, and is not overwritten; remove it first, if it may go");
  EXPECT_NE(thrown_text([&] { in_use.check(path("other")); }), "");
  EXPECT_EQ(thrown_text([&] { in_use.claim(path("new")); }), "");
  EXPECT_EQ(thrown_text([&] { in_use.claim(path("other"), FilesInUse::Replaces::anything); }), "");
  EXPECT_NE(thrown_text([&] { in_use.claim(path("in"), FilesInUse::Replaces::anything); }), "") << "an input";
}

// Nobody can tell a name that does not exist, nor standard output, which a shell has opened.
TEST_F(FilesInUseOf, OnlyFilesAreAskedAbout) {
  FilesInUse in_use({}, [](const std::string&) { return "a capture"; });
  for (const std::string& name : {path("new"), std::string("/dev/null"), std::string("-")}) {
    EXPECT_EQ(thrown_text([&] { in_use.claim(name); }), "") << name;
  }
}

TEST_F(FilesInUseOf, DevicesMayBeBoth) {
  FilesInUse in_use({"/dev/null", "-"});
  for (int i = 0; i < 2; ++i) in_use.claim("/dev/null");
}

TEST_F(FilesInUseOf, PipeIsOneOutputOnly) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  FilesInUse in_use({path("in")});
  in_use.claim(path("pipe"));
  EXPECT_NE(thrown_text([&] { in_use.claim(path("folder/pipe")); }), "");
}

}  // namespace
}  // namespace warpmeter
