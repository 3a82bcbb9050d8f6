// A folder that others write files into, and which of them are complete: those that nobody writes to any more.
//
// A file is complete when it was closed by whoever wrote to it, or has come under its name by renaming. What was there
// at the beginning, came as a link, or went by unseen: when nobody has it open to write to it; where the kernel does
// not tell that (Writers), when a later file has begun. Names of files that become something else are passed
// over: hidden ones, and those that end as temporary files do (file_name.h). What happens in the folder the kernel
// tells (FolderEvents).
//
// Threads: one at a time, but is_gone() by any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {

// What happens in a folder, told by the kernel (inotify(7)): nothing is polled.
//
// Threads: one at a time.
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

  // Waits until something has happened, or for so long. Gives some thousand events at most; the others next time.
  std::vector<FolderEvent> wait(std::chrono::milliseconds longest);

 private:
  const Descriptor events_;
};

// Whether somebody has a file open to write to it, as the kernel knows it: what is asked for is a lease, which is had
// where nobody has (fcntl(2), F_SETLEASE), and given back at once.
//
// unknown: the file is somebody else's (and there is no CAP_LEASE), or its file system has no leases (NFS).
enum class Writers { none, some, unknown };

// Of a regular file in a folder that is open; links are followed. What cannot be opened has none, but where this
// process has too many files open.
Writers writers_of(int folder, const char* name);

class CaptureFolder {
 public:
  using IsPassedOver = std::function<bool(const std::string& name)>;
  using GivesUp = std::function<bool()>;

  // Files of names that `is_passed_over` are never complete. Looking through all of a large folder ends early once
  // `gives_up` is true. Throws Error: there is no such folder, or it cannot be read or watched.
  explicit CaptureFolder(
      const std::string& path, IsPassedOver is_passed_over, GivesUp gives_up = [] { return false; });
  CaptureFolder(const CaptureFolder&) = delete;
  CaptureFolder& operator=(const CaptureFolder&) = delete;

  int descriptor() const { return folder_.get(); }  // for openat(2) and the like

  // Takes notice of what happened; waits for so long until something does. At most some thousand events are looked at
  // at once, so that who makes them all the time holds up nobody. False: there were none.
  bool look(std::chrono::milliseconds longest);

  // Names of files that are complete and were not taken since they became so.
  std::vector<std::string> take_complete();

  std::size_t being_written() const { return waiting_.size(); }
  std::uint64_t folders_below() const { return folders_below_; }  // at the beginning
  bool is_gone() const { return gone_; }

 private:
  void take(const FolderEvent& event);
  int look_at_all();
  void look_at(const std::string& name, bool complete_if_unknown);
  void note(const std::string& name, Writers writers, bool complete_if_unknown);
  void look_at_some_waiting();
  void keep_newest_waiting();

  const std::string path_;
  const IsPassedOver is_passed_over_;
  const GivesUp gives_up_;
  FolderEvents events_;
  Descriptor folder_;
  std::set<std::string> complete_, waiting_;
  std::set<std::string> unknown_;  // of those that wait: the kernel does not tell whether somebody writes to them
  std::size_t looks_left_ = 0;     // of those that wait, at so many since something happened
  std::string last_looked_at_;     // of these
  std::uint64_t folders_below_ = 0;
  bool is_look_missing_ = false;  // events were lost, and not all entries could be looked at since
  std::atomic<bool> gone_ = false;
};

}  // namespace warpmeter::inline packet
