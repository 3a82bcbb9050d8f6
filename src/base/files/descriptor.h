// A file descriptor and its one owner, which closes it. Code that owns an open descriptor keeps it in a Descriptor from
// the call that opened it on, so that no error path leaks it. A descriptor that is only lent is an int.
//
// Threads: one at a time; get() by several while nobody changes it. Errors: none. What close(2) says is lost, and errno
// stays as it was, so that it still says why another call failed. Where close(2) may be the first to tell of a full
// disk, call it with what release() gives, and look.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace warpmeter::inline base {

class Descriptor {
 public:
  Descriptor() = default;
  // Takes over `fd`, what a call like open(2) returned; less than 0: it failed, and there is nothing to close.
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Descriptor() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  // Somebody else closes it.
  int release() noexcept { return std::exchange(fd_, -1); }
  // Closes what it had, and takes over `fd`.
  void reset(int fd = -1) noexcept {
    const int old = std::exchange(fd_, fd);
    if (old < 0) return;
    const int error = errno;
    close(old);
    errno = error;
  }

 private:
  int fd_ = -1;
};

}  // namespace warpmeter::inline base
