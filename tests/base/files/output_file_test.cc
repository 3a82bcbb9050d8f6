// Files that appear when they are complete; pipes and devices; what goes wrong.
#include "base/files/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"
#include "support/scratch_pipe.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

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

TEST(OutputFile, WhatIsBesideItIsLeftAlone) {
  const ScratchFolder folder;
  write_file(folder.file("out.csv.part"), std::string("mine"));
  write_and_commit(folder.file("out.csv"), "new");
  EXPECT_EQ(file_text(folder.file("out.csv")), "new");
  EXPECT_EQ(file_text(folder.file("out.csv.part")), "mine");
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(OutputFile, WritesTextLongerThanItsBuffer) {
  const ScratchFolder folder;
  std::string text;
  while (text.size() < 5'000'000) text += std::to_string(text.size()) + ",";
  write_and_commit(folder.file("out"), text);
  EXPECT_EQ(file_text(folder.file("out")), text);
}

TEST(OutputFile, WritesPiecesOfAllSizesInOrder) {
  const ScratchFolder folder;
  OutputFile output(folder.file("out"));
  std::string text;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::string piece(i % 100 == 99 ? 300'000 : i % 2 ? 4096 : 1, static_cast<char>('a' + i % 26));
    output.write(piece);
    text += piece;
    EXPECT_EQ(output.bytes(), text.size());
  }
  output.commit();
  EXPECT_TRUE(file_text(folder.file("out")) == text);
}

// More parts than one call of the system takes, some without bytes; a pipe takes a part of a part.
TEST(OutputFile, WritesManyPartsInOrder) {
  std::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> pieces;
  std::string text;
  for (std::size_t i = 0; i < 3'000; ++i) {
    pieces.push_back(std::string(i % 7 * 150, static_cast<char>('a' + i % 26)));
    text += pieces.back();
  }
  std::vector<BytePart> parts;
  for (const std::string& piece : pieces) parts.push_back({piece.data(), piece.size()});
  const auto write_all = [&](const std::string& name) {
    OutputFile output(name);
    output.write("begin,");
    output.write_parts(parts);
    output.write_parts(std::span(parts).first(3));
    EXPECT_EQ(output.bytes(), 6 + text.size() + 450);
    output.write(",end");
    output.commit();
  };
  const std::string wanted = "begin," + text + text.substr(0, 450) + ",end";
  const ScratchFolder folder;
  write_all(folder.file("out"));
  EXPECT_TRUE(file_text(folder.file("out")) == wanted);
  for (const int flags : {0, O_NONBLOCK}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe2(ends.data(), flags), 0);
    fcntl(ends[0], F_SETFL, 0);
    std::string got;
    std::jthread reader([&] {
      std::array<char, 1000> some{};
      for (ssize_t n; (n = read(ends[0], some.data(), some.size())) > 0;)
        got.append(some.data(), static_cast<std::size_t>(n));
    });
    write_all("/dev/fd/" + std::to_string(ends[1]));
    close(ends[1]);
    reader.join();
    close(ends[0]);
    EXPECT_TRUE(got == wanted);
  }
  EXPECT_NE(thrown_text([&] { write_all("/dev/full"); }), "");
  std::signal(SIGPIPE, SIG_DFL);
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

// The signal came before the pipe was opened.
TEST(OutputFile, InterruptedBeforeANamedPipeHasAReader) {
  const test::NamedPipe pipe;
  const std::atomic<bool> interrupted = true;
  const std::string said =
      pipe.alone([&] { return thrown_text([&] { OutputFile output(pipe.path(), &interrupted); }); });
  EXPECT_EQ(said, pipe.path() + ": interrupted");
}

TEST(OutputFile, NamedPipeWaitsForItsReader) {
  const test::NamedPipe pipe;
  const std::atomic<bool> never = false;
  std::thread writer([&] {
    OutputFile output(pipe.path(), &never);
    output.write(std::string(1 << 20, 'x'));  // more than a pipe holds
    output.commit();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(file_text(pipe.path()).size(), 1u << 20);
  writer.join();
}

// A reader that is there and takes nothing is waited for as long as somebody wants to; then the rest is lost, counted
// in lines. So it is with the reader of a pipe that others opened, who find it as it was.
TEST(OutputFile, WhoReadsNothingIsGivenUp) {
  const ScratchFolder folder;
  const std::string name = folder.file("pipe");
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  const int reader = open(name.c_str(), O_RDONLY | O_NONBLOCK);
  const int writer = open(name.c_str(), O_WRONLY);
  for (const std::string& to : {name, "/dev/fd/" + std::to_string(writer)}) {
    std::atomic<bool> gives_up = false;
    OutputFile output(to, nullptr, &gives_up);
    std::atomic<bool> done = false;
    std::jthread run([&] {
      for (int i = 0; i < 100'000; ++i) output.write("a line\n");
      output.commit();
      done = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(done) << to;
    gives_up = true;
    run.join();
    EXPECT_TRUE(output.is_given_up()) << to;
    std::string got(1 << 20, '\0');
    const ssize_t size = read(reader, got.data(), got.size());
    got.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    EXPECT_EQ(output.taken(), got.size()) << to;
    EXPECT_EQ(output.lost_lines() + static_cast<std::uint64_t>(std::count(got.begin(), got.end(), '\n')), 100'000u)
        << to;
    EXPECT_EQ(fcntl(writer, F_GETFL) & O_NONBLOCK, 0) << to;
  }
  close(writer);
  close(reader);
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

TEST(OutputFile, DescriptorIsWrittenWhereItStands) {
  const ScratchFolder folder;
  write_file(folder.file("log"), std::string("old,"));
  const int fd = open(folder.file("log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(fd, 0);
  write_and_commit("/dev/fd/" + std::to_string(fd), "new");
  EXPECT_EQ(close(fd), 0);
  EXPECT_EQ(file_text(folder.file("log")), "old,new");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, ReaderThatIsGoneIsToldApart) {
  std::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  OutputFile output("/dev/fd/" + std::to_string(ends[1]));
  close(ends[0]);
  output.write("x");
  EXPECT_THROW(output.commit(), PipeClosed);
  close(ends[1]);
  std::signal(SIGPIPE, SIG_DFL);
}

TEST(OutputFile, PipeThatDoesNotBlockIsWaitedFor) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK), 0);
  fcntl(ends[0], F_SETFL, 0);
  const std::string text(3 << 20, 'x');
  std::size_t got = 0;
  std::jthread reader([&] {
    std::array<char, 4096> some{};
    for (ssize_t n; (n = read(ends[0], some.data(), some.size())) > 0;) got += static_cast<std::size_t>(n);
  });
  EXPECT_EQ(thrown_text([&] { write_and_commit("/dev/fd/" + std::to_string(ends[1]), text); }), "");
  close(ends[1]);
  reader.join();
  close(ends[0]);
  EXPECT_EQ(got, text.size());
}

TEST(OutputFile, DashIsStandardOutput) {
  testing::internal::CaptureStdout();
  write_and_commit("-", "hello");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello");
}

}  // namespace
}  // namespace warpmeter
