// The folder of a set: it gets its name when all of its files are complete. Until then it has another one beside it,
// and is removed with the object.
#pragma once

#include <string>

namespace warpmeter {

class SetFolder {
 public:
  // Throws Error if `name` is there and no empty folder, or if no folder can be made beside it.
  explicit SetFolder(const std::string& name);
  ~SetFolder();
  SetFolder(const SetFolder&) = delete;
  SetFolder& operator=(const SetFolder&) = delete;

  // Where its files are written.
  const std::string& path() const { return path_; }

  // Throws Error; also if somebody else has put something there meanwhile, which stays.
  void commit();

 private:
  const std::string name_;
  std::string path_;  // empty: it has its name
};

}  // namespace warpmeter
