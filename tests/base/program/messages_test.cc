// What is said goes out in one piece; where it cannot go out, nothing happens.
#include "base/program/messages.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

TEST(Messages, AreLines) {
  testing::internal::CaptureStderr();
  say("as it is, ");
  warn("something");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "as it is, warpmeter: something\n");
}

TEST(Messages, OfSeveralThreadsDoNotMix) {
  testing::internal::CaptureStderr();
  {
    std::vector<std::jthread> threads;
    for (char letter = 'a'; letter < 'e'; ++letter) {
      threads.emplace_back([letter] {
        for (int i = 0; i < 200; ++i) warn(std::string(100, letter));
      });
    }
  }
  std::string text = testing::internal::GetCapturedStderr();
  int lines = 0;
  for (; !text.empty(); ++lines) {
    const std::string line = text.substr(0, text.find('\n'));
    EXPECT_EQ(line, "warpmeter: " + std::string(100, line.back()));
    text.erase(0, line.size() + 1);
  }
  EXPECT_EQ(lines, 800);
}

// In processes of their own: standard error is not to be had back.
TEST(Messages, WithoutStandardErrorAreLost) {
  const auto closed = [] {
    close(STDERR_FILENO);
    warn("nobody hears this");
    std::_Exit(0);
  };
  const auto full = [] {
    dup2(open("/dev/full", O_WRONLY), STDERR_FILENO);
    warn("nobody hears this");
    std::_Exit(0);
  };
  EXPECT_EXIT(closed(), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(full(), testing::ExitedWithCode(0), "");
}

TEST(Messages, OnStandardOutputMustArrive) {
  testing::internal::CaptureStdout();
  put("facts\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "facts\n");
  const int before = dup(STDOUT_FILENO);
  dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
  EXPECT_EQ(test::thrown_text([] { put("facts\n"); }), "standard output: cannot be written: No space left on device");
  dup2(before, STDOUT_FILENO);
  close(before);
}

}  // namespace
}  // namespace warpmeter
