#include "base/files/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>
#include <utility>

namespace warpmeter {
namespace {

static_assert(!std::is_copy_constructible_v<Descriptor> && !std::is_copy_assignable_v<Descriptor>);
static_assert(std::is_nothrow_move_constructible_v<Descriptor> && std::is_nothrow_move_assignable_v<Descriptor>);
static_assert(sizeof(Descriptor) == sizeof(int));

int opened() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return fcntl(fd, F_GETFD) != -1; }

TEST(Descriptor, WithoutOneThereIsNothingToClose) {
  const Descriptor none, failed(-1);
  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), -1);
  EXPECT_FALSE(failed);
}

TEST(Descriptor, ZeroIsOne) {
  Descriptor input(STDIN_FILENO);
  EXPECT_TRUE(input);
  EXPECT_EQ(input.release(), STDIN_FILENO);
}

TEST(Descriptor, IsClosedWithItsOwner) {
  const int fd = opened();
  {
    const Descriptor owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_EQ(owner.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, IsHandedOnByMoving) {
  const int fd = opened();
  Descriptor first(fd);
  {
    const Descriptor second(std::move(first));
    EXPECT_EQ(second.get(), fd);
    EXPECT_FALSE(first);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, WhatIsAssignedToClosesWhatItHad) {
  const int old = opened(), fd = opened();
  Descriptor owner(old), other(fd);
  owner = std::move(other);
  EXPECT_FALSE(is_open(old));
  EXPECT_EQ(owner.get(), fd);
  EXPECT_TRUE(is_open(fd));
  EXPECT_FALSE(other);
  owner = Descriptor();
  EXPECT_FALSE(owner);
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, MovedToItselfItStaysOpen) {
  const int fd = opened();
  Descriptor owner(fd), &same = owner;
  owner = std::move(same);
  EXPECT_EQ(owner.get(), fd);
  EXPECT_TRUE(is_open(fd));
}

TEST(Descriptor, WhatIsReleasedStaysOpen) {
  const int fd = opened();
  {
    Descriptor owner(fd);
    EXPECT_EQ(owner.release(), fd);
    EXPECT_FALSE(owner);
  }
  EXPECT_TRUE(is_open(fd));
  EXPECT_EQ(close(fd), 0);
}

TEST(Descriptor, ResetClosesAndTakesAnother) {
  const int old = opened(), fd = opened();
  Descriptor owner(old);
  owner.reset(fd);
  EXPECT_FALSE(is_open(old));
  EXPECT_EQ(owner.get(), fd);
  owner.reset();
  EXPECT_FALSE(owner);
  EXPECT_FALSE(is_open(fd));
  owner.reset();  // nothing is left to close
}

// As where a file cannot be opened, and the one before it, or the folder that it is in, is closed before that is told.
TEST(Descriptor, ClosingLeavesErrnoAsItWas) {
  const int gone = opened();
  ASSERT_EQ(close(gone), 0);
  {
    const Descriptor owner(gone);  // close(2) fails with EBADF
    errno = ENOENT;
  }
  EXPECT_EQ(errno, ENOENT);
  Descriptor owner(gone);
  errno = EACCES;
  owner = Descriptor(-1);
  EXPECT_EQ(errno, EACCES);
}

}  // namespace
}  // namespace warpmeter
