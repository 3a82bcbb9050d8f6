// A pipe or terminal that somebody else opened, as an open file of our own: what we set, such as not to wait, is not
// set for others who have it then.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>

namespace warpmeter::inline base {

// To write without waiting. -1 if it is neither, or cannot be opened.
inline int open_own_description(int descriptor) noexcept {
  struct stat what {};
  if (fstat(descriptor, &what) != 0 || !(S_ISFIFO(what.st_mode) || S_ISCHR(what.st_mode))) return -1;
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace warpmeter::inline base
