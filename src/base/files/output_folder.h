// A folder of files that are one output: it gets its name when all of them are complete. Until then it has another one
// beside it, and is removed with the object. A folder that is there already stays what it is (somebody has given it
// rights, or it is the root of a file system): the files wait in a folder below it and come up at the end.
#pragma once

#include <string>
#include <vector>

#include "base/files/output_place.h"

namespace warpmeter::inline base {

class OutputFolder {
 public:
  // `what` it will hold, for messages. Throws Error if `name` is there and no empty folder, or if no folder can be made
  // beside it or, if it is there, in it.
  OutputFolder(const std::string& name, const std::string& what, Readers readers = Readers::by_umask);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  const std::string& name() const { return name_; }  // without slashes at its end
  bool was_there() const { return was_there_; }

  // Where its files are written.
  const std::string& path() const { return path_; }

  // Throws Error; also if somebody else has put something there meanwhile, which stays.
  void commit();
  // REQUIRES: commit() has returned. Throws nothing: as far as it can be, the place has what it had before.
  void take_back();

 private:
  void check_alone() const;
  void give_name();
  void move_files();
  void remove_moved();

  const std::string name_;
  const bool was_there_;
  std::string path_;                // empty: it has its name
  std::string hidden_;              // which path_ was until then
  std::vector<std::string> moved_;  // to where it was there already
};

}  // namespace warpmeter::inline base
