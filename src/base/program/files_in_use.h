// Which files a run reads and writes, so that no output takes the place of an input or of another output, whatever
// names lead to them: links, hard links, other spellings, standard input or output redirected from or to a file. Nor of
// what this run does not read and nobody can make again, where names were mixed up.
//
// Inputs are looked at only if an output exists already: what does not exist is no input.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmeter::inline base {

class FilesInUse {
 public:
  // Of a regular file: what it is that is to stay, such as "a capture"; empty: an output may take its place.
  using Kept = std::function<std::string(const std::string& path)>;
  enum class Replaces { what_is_not_kept, anything };

  // Files, no folders; "-" is standard input.
  explicit FilesInUse(std::vector<std::string> inputs, Kept kept = {})
      : inputs_(std::move(inputs)), kept_(std::move(kept)) {}

  // Before an output is opened. Throws Error, naming it, if it is an input, or (usage) an output that was claimed, or
  // what is kept. `anything`: of an output that is such a file itself.
  void claim(const std::string& output, Replaces replaces = Replaces::what_is_not_kept);
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
  std::optional<FileIdentity> checked(const std::string& output, Replaces replaces);
  void look_at_inputs();

  const std::vector<std::string> inputs_;
  const Kept kept_;
  bool looked_at_ = false;
  std::vector<std::pair<FileIdentity, std::size_t>> known_;  // inputs, sorted
  std::map<FileIdentity, std::string> outputs_;
};

}  // namespace warpmeter::inline base
