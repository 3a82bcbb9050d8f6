// Where an output of a given name comes to lie, and what is there now. Links are followed as an overwrite would follow
// them, those that lead nowhere yet as well. And who may read it.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

// Who may read what a run makes anew. What is there already keeps the rights that somebody has given it.
enum class Readers {
  by_umask,
  owner,  // nobody else, whatever the umask: files 0600, folders 0700
};

struct OutputPlace {
  std::string folder;                // "." if the name has none
  std::string base;                  // the name in that folder
  std::optional<struct stat> there;  // what has this name now
  std::optional<int> descriptor;  // standard output or /dev/fd/N: written as it was opened, folder and base are empty
};

// The descriptor that a name stands for, if it does: "-", /dev/stdout, /dev/fd/N and the like.
std::optional<int> descriptor_named(std::string_view name);

// Such a descriptor, a pipe or a device: neither a file nor a folder, nor what could become one.
bool is_no_file(const std::string& name);

// "-" is standard output. Throws Error, naming the output, if it can be told that it cannot be written.
OutputPlace place_of(const std::string& name, Readers readers = Readers::by_umask);

}  // namespace warpmeter::inline base
