// Files that this process writes, so that it does not read them where it finds them in a folder: by what they are,
// where they are there before it begins, as in `warpmeter extract . > flows.csv`; and by their names, where they come
// into a folder that it goes on reading.
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

// Names of outputs in a folder: that of each, and those of the files of --rotate (for NAME.csv NAME.000001.csv,
// NAME.20260131T120000Z.csv, and so on).
class OwnNames {
 public:
  // `outputs`: those that lie elsewhere are of no interest. Throws nothing: what cannot be looked at is not there.
  OwnNames(const std::string& folder, const std::vector<std::string>& outputs);

  bool contains(const std::string& name) const;

 private:
  struct Around {
    std::string before, behind;  // the part that --rotate puts in
  };
  std::vector<std::string> names_;
  std::vector<Around> rotated_;
};

}  // namespace warpmeter::inline base
