// What happens in a folder, told by the kernel (inotify(7)): nothing is polled.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace warpmeter::inline packet {

struct FolderEvent {
  enum class Kind {
    begun,   // a file of this name is new
    closed,  // somebody who could write to it has closed it
    came,    // it was renamed to this name, or moved here
    left,    // it was renamed, moved away or removed
    lost,    // more happened than the kernel keeps: look at all
    gone,    // the folder was removed, moved or unmounted
  };
  Kind kind;
  std::string name = {};  // of the file in the folder
};

class FolderEvents {
 public:
  // From now on. Throws Error where the folder cannot be watched.
  explicit FolderEvents(const std::string& folder);
  ~FolderEvents();
  FolderEvents(const FolderEvents&) = delete;
  FolderEvents& operator=(const FolderEvents&) = delete;

  // Waits until something has happened, or for so long. Gives some thousand events at most; the others next time.
  std::vector<FolderEvent> wait(std::chrono::milliseconds longest);

 private:
  int fd_ = -1;
};

}  // namespace warpmeter::inline packet
