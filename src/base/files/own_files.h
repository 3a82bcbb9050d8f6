// Files that this process writes, by what they are and not by their names, so that it does not read them where it finds
// them in a folder: `warpmeter extract . > flows.csv` has flows.csv in that folder before it begins.
//
// Threads: any, once it is made.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpmeter::inline base {

class OwnFiles {
 public:
  // The outputs of these names that are there already, and what standard output and standard error lead to.
  explicit OwnFiles(const std::vector<std::string>& outputs = {});

  bool contains(const struct stat& status) const {
    return S_ISREG(status.st_mode) && numbers_.contains({status.st_dev, status.st_ino});
  }

  // One of them, in which nothing is that could be read and would be lost.
  bool contains_empty(const struct stat& status) const { return status.st_size == 0 && contains(status); }

 private:
  std::set<std::pair<dev_t, ino_t>> numbers_;
};

}  // namespace warpmeter::inline base
