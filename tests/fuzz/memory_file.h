// Bytes as a file that has a path, without a disk: for readers that open their input themselves.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "fuzz/must.h"

namespace warpmeter::fuzz {

// One at a time. The path is that of the one that was made last, and good until the next one.
inline const std::string& memory_file(const std::uint8_t* data, std::size_t size) {
  static const int fd = memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  must(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == static_cast<ssize_t>(size));
  return path;
}

}  // namespace warpmeter::fuzz
