// Where an output of a given name comes to lie, and what is there now. Links are followed as an overwrite would follow
// them, those that lead nowhere yet as well.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace warpmeter {

struct OutputPlace {
  std::string folder;                // "." if the name has none
  std::string base;                  // the name in that folder
  std::optional<struct stat> there;  // what has this name now
  std::optional<int> descriptor;  // standard output or /dev/fd/N: written as it was opened, folder and base are empty
};

// "-" is standard output. Throws Error, naming the output, if it can be told that it cannot be written.
OutputPlace place_of(const std::string& name);

}  // namespace warpmeter
