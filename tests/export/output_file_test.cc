// Files that appear when they are complete; pipes and devices; what goes wrong.
#include "export/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::ScratchFolder;
using test::thrown_text;
using test::write_file;

void write_and_commit(const std::string& name, const std::string& text) {
  OutputFile output(name);
  output.write(text);
  output.commit();
}

TEST(OutputFile, AppearsWithCommit) {
  const ScratchFolder folder;
  OutputFile output(folder.file("out.csv"));
  output.write("hello");
  EXPECT_FALSE(std::filesystem::exists(folder.file("out.csv")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("out.csv.part")));
  output.commit();
  EXPECT_EQ(file_text(folder.file("out.csv")), "hello");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, WithoutCommitLeavesNothing) {
  const ScratchFolder folder;
  { OutputFile(folder.file("out.csv")).write(std::string(3 << 20, 'x')); }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(OutputFile, WithoutCommitLeavesTheOldFile) {
  const ScratchFolder folder;
  write_file(folder.file("out.csv"), std::string("old"));
  { OutputFile(folder.file("out.csv")).write("new"); }
  EXPECT_EQ(file_text(folder.file("out.csv")), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, CommitReplacesTheOldFile) {
  const ScratchFolder folder;
  write_file(folder.file("out.csv"), std::string("a longer old one"));
  write_and_commit(folder.file("out.csv"), "new");
  EXPECT_EQ(file_text(folder.file("out.csv")), "new");
}

TEST(OutputFile, LeftoverPartOfACrashIsNoHindrance) {
  const ScratchFolder folder;
  write_file(folder.file("out.csv.part"), std::string("half of something longer"));
  write_and_commit(folder.file("out.csv"), "new");
  EXPECT_EQ(file_text(folder.file("out.csv")), "new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, WritesTextLongerThanItsBuffer) {
  const ScratchFolder folder;
  std::string text;
  while (text.size() < 5'000'000) text += std::to_string(text.size()) + ",";
  write_and_commit(folder.file("out"), text);
  EXPECT_EQ(file_text(folder.file("out")), text);
}

TEST(OutputFile, RoomIsAlwaysThere) {
  const ScratchFolder folder;
  OutputFile output(folder.file("out"));
  for (int i = 0; i < 1000; ++i) {
    char* to = output.room();
    std::fill_n(to, OutputFile::kRoom, static_cast<char>('a' + i % 26));
    output.used(to + (i % 2 ? OutputFile::kRoom : 1));
  }
  output.commit();
  const std::string text = file_text(folder.file("out"));
  EXPECT_EQ(text.size(), 500 * (OutputFile::kRoom + 1));
  EXPECT_EQ(text.substr(0, 3), "abb");
}

TEST(OutputFile, NewFileHasTheUsualMode) {
  const ScratchFolder folder;
  const mode_t before = umask(027);
  write_and_commit(folder.file("out"), "");
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(folder.file("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(OutputFile, MissingFolderIsAnError) {
  const std::string text = thrown_text([] { OutputFile output("/nowhere/out.csv"); });
  EXPECT_EQ(text, "/nowhere/out.csv: cannot be written: No such file or directory");
}

TEST(OutputFile, FolderIsAnError) {
  const ScratchFolder folder;
  EXPECT_EQ(thrown_text([&] { OutputFile output(folder.path()); }), folder.path() + ": is a folder");
}

// In a process of its own that is not root's, for root may write everything. Renaming over the file would be possible.
TEST(OutputFile, FileThatMayNotBeWrittenIsAnError) {
  constexpr uid_t kNobody = 65534;
  const ScratchFolder folder;
  write_file(folder.file("out"), std::string("old"));
  ASSERT_EQ(chmod(folder.file("out").c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  const auto attempt = [&] {
    if (geteuid() == 0 && setuid(kNobody) != 0) std::exit(2);
    std::exit(thrown_text([&] { write_and_commit(folder.file("out"), "new"); }).ends_with("Permission denied") ? 0 : 1);
  };
  EXPECT_EXIT(attempt(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(file_text(folder.file("out")), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, LinkKeepsPointingAtTheFile) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.file("elsewhere"));
  write_file(folder.file("elsewhere/real"), std::string("old"));
  std::filesystem::create_symlink(folder.file("elsewhere/real"), folder.file("link"));
  write_and_commit(folder.file("link"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
  EXPECT_EQ(file_text(folder.file("elsewhere/real")), "new");
}

TEST(OutputFile, PipeIsWrittenDirectly) {
  const ScratchFolder folder;
  const std::string pipe = folder.file("pipe"), text(300'000, 'p');
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::jthread reader([&] { got = file_text(pipe); });
  write_and_commit(pipe, text);
  reader.join();
  EXPECT_EQ(got, text);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, DevNullIsWrittenDirectly) {
  EXPECT_EQ(thrown_text([] { write_and_commit("/dev/null", std::string(3 << 20, 'x')); }), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_FALSE(std::filesystem::exists("/dev/null.part"));
}

TEST(OutputFile, FullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "a machine that has /dev/full runs this";
  const std::string text = thrown_text([] { write_and_commit("/dev/full", "x"); });
  EXPECT_EQ(text, "/dev/full: cannot be written: No space left on device");
}

TEST(OutputFile, DashIsStandardOutput) {
  testing::internal::CaptureStdout();
  write_and_commit("-", "hello");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello");
}

}  // namespace
}  // namespace warpmeter
