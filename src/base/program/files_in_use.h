// Which files a run reads and writes, so that no output takes the place of an input or of another output, whatever
// names lead to them: links, hard links, other spellings, standard input or output redirected from or to a file.
//
// Inputs are looked at only if an output exists already: what does not exist is no input.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmeter::inline base {

class FilesInUse {
 public:
  // Files, no folders; "-" is standard input.
  explicit FilesInUse(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  // Before an output is opened. Throws Error, naming it, if it is an input, or (usage) an output that was claimed.
  void claim(const std::string& output);
  // The same for one of so many outputs that they are not remembered.
  void check(const std::string& output);

  // What makes two names the same file: of one that exists its number, else its folder's and its name there.
  struct FileIdentity {
    dev_t device;
    ino_t number;
    std::string base;
    auto operator<=>(const FileIdentity&) const = default;
  };

 private:
  std::optional<FileIdentity> checked(const std::string& output);
  void look_at_inputs();

  const std::vector<std::string> inputs_;
  bool looked_at_ = false;
  std::vector<std::pair<FileIdentity, std::size_t>> known_;  // inputs, sorted
  std::map<FileIdentity, std::string> outputs_;
};

}  // namespace warpmeter::inline base
