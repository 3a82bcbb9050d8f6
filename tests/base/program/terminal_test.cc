// What is asked of a terminal, on a pseudo-terminal.
#include "base/program/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace warpmeter {
namespace {

class Terminal : public testing::Test {
 protected:
  Terminal() {
    for (const char* name : {"COLUMNS", "NO_COLOR"}) unsetenv(name);
    setenv("TERM", "xterm", 1);
    master_ = posix_openpt(O_RDWR | O_NOCTTY);
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    terminal_ = open(ptsname(master_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = 97, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(terminal_, TIOCSWINSZ, &size);
  }
  ~Terminal() override {
    close(terminal_);
    close(master_);
  }
  int master_ = -1, terminal_ = -1;
};

TEST_F(Terminal, TellsItsWidth) {
  ASSERT_GE(terminal_, 0);
  EXPECT_EQ(terminal_columns(terminal_), 97u);
  setenv("COLUMNS", "120", 1);
  EXPECT_EQ(terminal_columns(terminal_), 120u);
  unsetenv("COLUMNS");
}

TEST_F(Terminal, HasColoursUnlessSomebodySaysNo) {
  EXPECT_TRUE(can_colour(terminal_));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(can_colour(terminal_));
  EXPECT_TRUE(can_redraw(terminal_));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(can_colour(terminal_));
}

TEST_F(Terminal, ADumbOneHasNeither) {
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(can_colour(terminal_));
  EXPECT_FALSE(can_redraw(terminal_));
  unsetenv("TERM");
  EXPECT_FALSE(can_colour(terminal_));
  EXPECT_TRUE(can_redraw(terminal_));
}

TEST_F(Terminal, APipeIsNone) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  setenv("COLUMNS", "120", 1);
  EXPECT_EQ(terminal_columns(pipe_ends[1]), 0u);
  EXPECT_FALSE(can_colour(pipe_ends[1]));
  EXPECT_FALSE(can_redraw(pipe_ends[1]));
  for (const int end : pipe_ends) close(end);
  unsetenv("COLUMNS");
}

}  // namespace
}  // namespace warpmeter
