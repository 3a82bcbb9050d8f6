#include "base/files/own_files.h"

#include <unistd.h>

namespace warpmeter::inline base {

OwnFiles::OwnFiles(const std::vector<std::string>& outputs) {
  struct stat status {};
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    if (fstat(descriptor, &status) == 0) numbers_.emplace(status.st_dev, status.st_ino);
  }
  for (const std::string& output : outputs) {
    if (stat(output.c_str(), &status) == 0) numbers_.emplace(status.st_dev, status.st_ino);
  }
}

}  // namespace warpmeter::inline base
