#include "packet/folder/file_writers.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace warpmeter::inline packet {

Writers writers_of(int folder, const char* name) {
  const int fd = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? Writers::unknown : Writers::none;
  // Who opens it to write in this moment has the kernel send a signal, which by default would end the program; this one
  // is ignored by default.
  fcntl(fd, F_SETSIG, SIGURG);
  Writers writers = Writers::none;
  if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) fcntl(fd, F_SETLEASE, F_UNLCK);
  else writers = errno == EAGAIN || errno == EBUSY ? Writers::some : Writers::unknown;
  close(fd);
  return writers;
}

}  // namespace warpmeter::inline packet
