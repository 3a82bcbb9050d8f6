// Files of --rotate that are complete and on the disk before they have their names: whoever keeps a state writes down
// first that they are there. If the process ends between the two, whatever ends it, the next one gives them their
// names; if it ends before, nobody ever sees them.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file_name.h"

namespace warpmeter::inline record {

class NamedLater {
 public:
  // `id`: tells files of this state from others'.
  explicit NamedLater(std::string id) : id_(std::move(id)) {}
  // Removes what was added, unless somebody keeps it.
  ~NamedLater();
  NamedLater(const NamedLater&) = delete;
  NamedLater& operator=(const NamedLater&) = delete;

  // What is added from now on belongs to this number.
  void begin(std::uint64_t number, const std::string& kind);
  // A file that will be written under its hidden name.
  const LaterName& add(const std::string& before, const std::string& behind);
  // The last one could not be written after all.
  void take_back() { added_.pop_back(); }
  // Those that were added since the last time, which are written by now. They are on the disk when this returns. Throws
  // Error.
  std::vector<LaterName> take();
  // It is written down that what was added is there.
  void keep() { added_.clear(), taken_ = 0; }

  // Does this name belong to a file of the state with this id, of whatever number?
  static bool is_hidden_name(const std::string& name, const std::string& id);

 private:
  const std::string id_;
  std::string mark_;
  std::vector<LaterName> added_;
  std::size_t taken_ = 0;  // of these
};

// The file gets its name, and takes no other's place. If it is not there, it had got it before. Throws Error.
void give_name(const LaterName& file);

}  // namespace warpmeter::inline record
