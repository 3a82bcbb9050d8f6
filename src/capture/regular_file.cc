#include "capture/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace warpmeter {

RegularFile::RegularFile(int fd, std::uint64_t size) : fd_(fd), size_(size) {
  posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

RegularFile::~RegularFile() {
  if (fd_ >= 0) close(fd_);
}

std::size_t RegularFile::read(std::uint8_t* to, std::uint64_t from, std::uint64_t until) const {
  const std::size_t wanted = std::min(until, size_) - std::min(from, until);
  std::size_t all = 0;
  while (all < wanted) {
    const std::size_t got = read_some(to + all, from + all, wanted - all);
    if (got == 0) break;
    all += got;
  }
  return all;
}

std::size_t RegularFile::read_some(std::uint8_t* to, std::uint64_t from, std::size_t bytes) const {
  if (fd_ < 0) {
    std::memcpy(to, data_ + from, bytes);
    return bytes;
  }
  ssize_t got;
  do {
    got = pread(fd_, to, bytes, static_cast<off_t>(from));
  } while (got < 0 && errno == EINTR);
  if (got > 0) return static_cast<std::size_t>(got);
  int none = kNone;
  error_.compare_exchange_strong(none, got < 0 ? errno : 0);
  return 0;
}

std::string RegularFile::problem() const {
  const int error = error_.load();
  if (error == kNone) return {};
  return error == 0 ? kShrank : std::strerror(error);
}

bool RegularFile::grew() const {
  struct stat status {};
  return fd_ >= 0 && fstat(fd_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) > size_;
}

void RegularFile::read_ahead(std::uint64_t bytes) const {
  if (fd_ >= 0) posix_fadvise(fd_, 0, static_cast<off_t>(std::min(bytes, size_)), POSIX_FADV_WILLNEED);
}

}  // namespace warpmeter
