// Who may read what a run makes anew. What is there already keeps the rights that somebody has given it.
#pragma once

namespace warpmeter::inline base {

enum class Readers {
  by_umask,
  owner,  // nobody else, whatever the umask: files 0600, folders 0700
};

}  // namespace warpmeter::inline base
