// Temporary files: without a name, at any offset, and clear about what went wrong.
#include "base/files/temp_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;
using test::thrown_text;

TEST(TempFile, HasNoName) {
  const ScratchFolder folder;
  const TempFile file(folder.path());
  EXPECT_EQ(folder.entries(), 0u);
}

// What is made or removed in a folder changes its time: the program may be killed between the two.
TEST(TempFile, HasNoNameFromTheBeginning) {
  const ScratchFolder folder;
  const int nameless = open(folder.path().c_str(), O_RDWR | O_TMPFILE, 0600);
  if (nameless < 0) GTEST_SKIP() << "a file system with O_TMPFILE runs this: " << std::strerror(errno);
  close(nameless);
  const std::filesystem::file_time_type past{};
  std::filesystem::last_write_time(folder.path(), past);
  TempFile(folder.path()).write("x", 1, 0);
  EXPECT_EQ(std::filesystem::last_write_time(folder.path()), past);
}

TEST(TempFile, ReadsWhatWasWrittenAtAnyOffset) {
  const ScratchFolder folder;
  TempFile file(folder.path());
  file.write("world", 5, 6);
  file.write("hello ", 6, 0);
  char text[20] = {};
  EXPECT_EQ(file.read(text, 20, 0), 11u);
  EXPECT_STREQ(text, "hello world");
  EXPECT_EQ(file.read(text, 3, 4), 3u);
  EXPECT_EQ(file.read(text, 1, 11), 0u);
}

TEST(TempFile, MissingFolderIsNamed) {
  const std::string text = thrown_text([] { TempFile file("/nowhere/at/all"); });
  EXPECT_NE(text.find("/nowhere/at/all: cannot create a run file: No such file"), std::string::npos) << text;
  EXPECT_NE(text.find("--tmpdir"), std::string::npos) << text;
}

// No room, as on a full disk: a limit on the size of files stands in for it.
TEST(TempFile, NoRoomIsAnErrorThatNamesTheFolder) {
  const ScratchFolder folder;
  TempFile file(folder.path());
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit little{1000, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const std::string big(2000, 'x');
  const std::string text = thrown_text([&] { file.write(big.data(), big.size(), 0); });
  setrlimit(RLIMIT_FSIZE, &limit);
  signal(SIGXFSZ, before);
  EXPECT_NE(text.find(folder.path() + ": cannot write a run file"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpmeter
