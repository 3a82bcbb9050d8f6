// What is to be there after a power cut: fsync(2) of files, and of the folders that their names stand in.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

// A file or folder is on the disk as it is now. Returns 0, or the errno that says why not.
inline int make_durable(const std::string& path) {
  const Descriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened) return errno;
  // File systems that cannot do it for folders do it without being asked, or not at all.
  return fsync(opened.get()) == 0 || errno == EINVAL ? 0 : errno;
}

inline std::string folder_of_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

}  // namespace warpmeter::inline base
