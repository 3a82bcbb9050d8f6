// How far the captures of a folder have come, for a process that goes on after this one: the file that keeps it
// (StateFile), and what is in there, a text with a checksum (FolderState, folder_state.cc).
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/descriptor.h"
#include "base/files/file_name.h"
#include "packet/folder/seen_files.h"

namespace warpmeter::inline packet {

// A file that is replaced as a whole, so that what is read from it was written by one store(), whatever ended the
// process that wrote; and that one process has at a time (flock(2) of NAME.lock, which stays once something was kept).
class StateFile {
 public:
  // Throws Error: another process has it, or it cannot be written there.
  explicit StateFile(std::string name);
  // Without keep() what this made is gone then, also the file itself, if there was none: whoever was refused has begun
  // nothing.
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  const std::string& name() const { return name_; }

  // What was stored last, which is text and begins with `title`; nothing if there is none. Of what is neither, the
  // beginning only. Throws Error; also where it is another user's, a link, no file, or larger than any state.
  std::optional<std::string> load(std::string_view title = {}) const;

  // In two: prepare() writes the new one beside the old, under a name that nobody can foresee, and if it throws,
  // nothing has changed; replace() puts it in its place. It is on the disk when both have returned; if the second
  // throws, either may be there. Throw Error.
  void prepare(const std::string& text);
  void replace();  // REQUIRES: prepare() has returned
  void store(const std::string& text) {
    prepare(text);
    replace();
  }

  // From now on it counts, whatever becomes of this process.
  void keep() { keeps_ = true; }

 private:
  bool lock(const std::string& name);
  void check_ours(const std::string& name);

  const std::string name_;
  std::string part_;  // what was prepared
  Descriptor lock_;
  bool made_lock_ = false, made_file_ = false, keeps_ = false;
};

struct FolderState {
  std::string id;                  // of this state, on all hidden names that belong to it
  std::string folder;              // absolute
  std::uint64_t number = 0;        // how often it was written
  SeenFiles done;                  // their Flow Records are in complete files,
  std::vector<LaterName> to_name;  // some of which may still lack their names;
  std::vector<LaterName> living;   // or in these, which hold the flows that lived then: for who goes on
};

// What the text begins with.
inline constexpr std::string_view kFolderStateTitle = "warpmeter folder state ";

std::string text_of(const FolderState& state);

// Throws Error, beginning with the name: this is no such text, it was damaged, or it is of a later version.
FolderState folder_state_of(const std::string& text, const std::string& name);

}  // namespace warpmeter::inline packet
