// A file that was found in a folder is judged when it is opened, too: a link may have taken its place meanwhile.
#include "base/files/found_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <string>

#include "packet/file/capture_reader.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

TEST(FoundFile, IsOpenedIfItIsAFile) {
  const test::ScratchFolder folder;
  test::write_file(folder.file("a"), std::string("some"));
  fs::create_symlink("a", folder.file("link"));
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  for (const char* name : {"a", "link"}) {
    const Descriptor file = open_found(folder.file(name));
    EXPECT_TRUE(file) << name;
    EXPECT_EQ(fcntl(file.get(), F_GETFL) & O_NONBLOCK, 0) << name;
    EXPECT_EQ(why_not_read(folder.file(name)), "") << name;
  }
  EXPECT_FALSE(open_found(folder.file("none")));
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(test::thrown_text([&] { open_found(folder.file("pipe")); }),
            folder.file("pipe") + ": is no regular file; of a folder nothing else is read");
}

TEST(FoundFile, APlantedLinkIsNotFollowedWhoeverOpensIt) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can give links to somebody else";
  const test::ScratchFolder folder;
  test::write_file(folder.file("a"), std::string("some"));
  const std::string path = folder.file("link");
  fs::create_symlink("a", path);
  ASSERT_EQ(lchown(path.c_str(), 12345, 12345), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  const std::string refused = path + ": a link of another user in a folder where others may write; it is not followed";
  EXPECT_EQ(why_not_read(path), refused);
  EXPECT_EQ(test::thrown_text([&] { open_found(path); }), refused);
  const std::atomic<bool> never = false;
  EXPECT_FALSE(looks_like_capture(path));  // one that was named, as the system lets one
  note_found_in(folder.path());
  EXPECT_EQ(test::thrown_text([&] { open_capture(path, never); }), refused);
  EXPECT_EQ(test::thrown_text([&] { looks_like_capture(path); }), refused);
}

}  // namespace
}  // namespace warpmeter
