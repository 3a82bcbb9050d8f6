// Files are opened here of which one may be a named pipe: open(2) would wait there for whoever opens its other end, and
// not notice a stop that was asked for just before, or a signal that another thread took.
//
// Whatever is no named pipe is opened as open(2) does. All set errno as it does. And pipes that are open already, as
// standard output may be one.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

namespace named_pipe {

inline constexpr useconds_t kPauseUs = 20'000;  // between two looks whether there is a reader

inline bool is_one(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

inline Descriptor open_at_once(const std::string& path, int flags) {
  Descriptor opened(open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC));
  if (opened) fcntl(opened.get(), F_SETFL, fcntl(opened.get(), F_GETFL) & ~O_NONBLOCK);
  return opened;
}

}  // namespace named_pipe

// For reading. Waits for nobody: before a named pipe's first writer has come, poll(2) finds nothing to read, whereas
// read(2) would find its end.
inline Descriptor open_to_read(const std::string& path) {
  if (named_pipe::is_one(path)) return named_pipe::open_at_once(path, O_RDONLY);
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// For writing. Waits for a named pipe's reader, but no longer than until `*stop` is true: then errno is EINTR.
inline Descriptor open_to_write(const std::string& path, const std::atomic<bool>* stop) {
  if (!stop || !named_pipe::is_one(path)) return Descriptor(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  for (;;) {
    Descriptor opened = named_pipe::open_at_once(path, O_WRONLY);
    if (opened || errno != ENXIO) return opened;
    if (*stop) {
      errno = EINTR;
      return {};
    }
    usleep(named_pipe::kPauseUs);
  }
}

// A pipe or terminal that somebody else opened, as an open file of our own: what we set, such as not to wait, is not
// set for others who have it then. To write without waiting. None if it is neither, or cannot be opened.
inline Descriptor reopen_nonblocking(int descriptor) noexcept {
  struct stat what {};
  if (fstat(descriptor, &what) != 0 || !(S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode))) return {};
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return Descriptor(open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace warpmeter::inline base
