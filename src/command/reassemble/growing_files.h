// Files of a folder that grow beside each other, many more than may be open: the one that was written longest ago is
// closed where another is to be opened.
//
// Threads: one at a time. Errors: Error, naming the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "command/reassemble/stream_names.h"

namespace warpmeter::inline command {

// One of them, for its writer to keep. Closed or open, written or not yet.
struct GrowingFile {
  std::uint32_t slot = 0;
  bool is_made = false;
  std::uint64_t turn = 0;  // of the slot, in which it is this file's
};

class GrowingFiles {
 public:
  // `folder`: for messages; `descriptor` is its, and outlives this. So many are open at once, one at least.
  GrowingFiles(std::string folder, int descriptor, std::size_t most_open);
  GrowingFiles(const GrowingFiles&) = delete;
  GrowingFiles& operator=(const GrowingFiles&) = delete;

  // Is it open? Else open() makes it so: the name may take longer to find out than to write.
  bool is_open(const GrowingFile& file) const { return file.turn != 0 && slots_[file.slot].turn == file.turn; }
  // REQUIRES: it is not open, and has this name each time. The first time it is not there yet.
  void open(GrowingFile& file, const StreamName& name);

  // REQUIRES: it is open.
  void write(const GrowingFile& file, std::span<const std::uint8_t> bytes);

  // Of one that gets no more.
  void close(GrowingFile& file);
  void close_all();

 private:
  struct Slot {
    Descriptor file;
    std::uint64_t turn = 0;  // 0: none
    std::uint32_t newer = 0, older = 0;
    StreamName name;
  };

  std::uint32_t slot_to_open();
  void put_first(std::uint32_t slot);
  void take_out(std::uint32_t slot);
  void close_slot(Slot& slot);
  [[noreturn]] void fail(const StreamName& name, int error) const;

  const std::string folder_;
  const int descriptor_;
  const std::size_t most_open_;
  std::vector<Slot> slots_;  // a ring by their use, as many as were open at once; slot 0 is its beginning, and no file
  std::uint64_t turns_ = 0;
};

}  // namespace warpmeter::inline command
