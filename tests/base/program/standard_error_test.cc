// What must go on, goes on whether or not somebody reads standard error; others wait for their reader.
#include "base/program/messages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kLine = "one line, as any other\n";

// Ends of a connection: what is written to the second, the first reads.
using Ends = std::array<int, 2>;

Ends a_pipe() {
  Ends ends{};
  EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  return ends;
}

Ends sockets() {
  Ends ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  return ends;
}

Ends a_terminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  EXPECT_EQ(grantpt(master) | unlockpt(master), 0);
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios raw{};
  tcgetattr(terminal, &raw);
  cfmakeraw(&raw);
  EXPECT_EQ(tcsetattr(terminal, TCSANOW, &raw), 0);
  return {master, terminal};
}

// In a process of its own, whose standard error is the second end.
pid_t run_beside(const Ends& ends, const std::function<void()>& what) {
  const pid_t child = fork();
  if (child != 0) return child;
  dup2(ends[1], STDERR_FILENO);
  what();
  _exit(0);
}

// Whether it ends within ten seconds; killed otherwise.
bool ends_soon(pid_t child) {
  const auto until = Clock::now() + std::chrono::seconds(10);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > until) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// All that is there by now.
std::string read_what_is_there(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFL);
  fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
  std::string text;
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = read(descriptor, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  fcntl(descriptor, F_SETFL, flags);
  return text;
}

void write_more_than_fits() {
  for (int line = 0; line < 100'000; ++line) write_to_standard_error(kLine);
}

class StandardErrorOf : public testing::TestWithParam<Ends (*)()> {};

TEST_P(StandardErrorOf, NobodyReadsHoldsNobodyUp) {
  const Ends ends = GetParam()();
  const pid_t child = run_beside(ends, [] {
    do_not_wait_for_standard_error();
    write_more_than_fits();
  });
  EXPECT_TRUE(ends_soon(child));
  EXPECT_EQ(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0) << "others, who share it, may want to wait";
  close(ends[0]);
  close(ends[1]);
}

TEST_P(StandardErrorOf, TellsWhatWasLostWhenSomebodyReadsAgain) {
  const Ends ends = GetParam()(), filled = a_pipe(), drained = a_pipe();
  const pid_t child = run_beside(ends, [&filled, &drained] {
    do_not_wait_for_standard_error();
    write_more_than_fits();
    char byte = 'x';
    if (write(filled[1], &byte, 1) != 1 || read(drained[0], &byte, 1) != 1) _exit(1);
    write_to_standard_error("the last one\n");
  });
  char byte = 0;
  ASSERT_EQ(read(filled[0], &byte, 1), 1);
  std::string text = read_what_is_there(ends[0]);
  EXPECT_EQ(text.compare(0, std::string(kLine).size(), kLine), 0);
  ASSERT_EQ(write(drained[1], &byte, 1), 1);
  EXPECT_TRUE(ends_soon(child));
  text = read_what_is_there(ends[0]);
  EXPECT_EQ(text.find("\nwarpmeter: "), 0U) << text;
  EXPECT_NE(text.find(" messages are lost here: nobody read them\nthe last one\n"), std::string::npos) << text;
  for (const Ends& both : {ends, filled, drained}) {
    for (const int end : both) close(end);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, StandardErrorOf, testing::Values(a_pipe, sockets, a_terminal));

TEST(StandardError, IsWaitedForOtherwise) {
  const Ends ends = a_pipe();
  constexpr int kLines = 20'000;  // more than a pipe holds
  const pid_t child = run_beside(ends, [] {
    for (int line = 0; line < kLines; ++line) write_to_standard_error(kLine);
  });
  close(ends[1]);
  std::size_t bytes = 0;
  std::array<char, 65536> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) bytes += static_cast<std::size_t>(got);
  EXPECT_TRUE(ends_soon(child));
  EXPECT_EQ(bytes, kLines * std::string(kLine).size());
  close(ends[0]);
}

TEST(StandardError, OfAFileIsAppendedToWhereItWas) {
  const std::string name = testing::TempDir() + "/standard_error_test." + std::to_string(getpid());
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ASSERT_EQ(write(file, "before\n", 7), 7);
  const pid_t child = run_beside({-1, file}, [] {
    do_not_wait_for_standard_error();
    write_to_standard_error(kLine);
  });
  EXPECT_TRUE(ends_soon(child));
  lseek(file, 0, SEEK_SET);
  EXPECT_EQ(read_what_is_there(file), "before\n" + std::string(kLine));
  close(file);
  unlink(name.c_str());
}

}  // namespace
}  // namespace warpmeter
