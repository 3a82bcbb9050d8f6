// A few hundred KiB of a file, read to where they stay in the cache of the core that looks at them.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory>

#include "packet/file/buffer_pool.h"
#include "packet/file/regular_file.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

// Bytes [begin, end) of a file.
struct FileBytes {
  const std::uint8_t* data;  // where the first of them lies
  std::uint64_t begin, end;
  bool last;  // the file ends with them, as far as it can be read

  const std::uint8_t* at(std::uint64_t offset) const { return data + (offset - begin); }
};

class FileView {
 public:
  // Bytes [from, until) of the file, or what there is of them: as they were read for what was shown before, if they are
  // a part of that, else read now. Then what was shown before is gone, unless somebody has a lease of it.
  // REQUIRES: from <= size().
  FileBytes show(const RegularFile& file, std::uint64_t from, std::uint64_t until);

  // Up to where show() would read nothing, from `from` on; `from`: nowhere.
  std::uint64_t read_until(const RegularFile& file, std::uint64_t from) const;

  // Of what is shown now. REQUIRES: something is, and nobody was given a lease of it.
  Lease lease();

 private:
  void read(const RegularFile& file, std::uint64_t from, std::uint64_t until);

  std::shared_ptr<BufferPool> pool_;  // once something was leased
  std::shared_ptr<Buffer> buffer_;    // null: leased
  // What is in it: bytes [begin_, end_) of a file.
  std::uint64_t file_ = 0;  // its number; 0: none
  std::uint64_t begin_ = 0, end_ = 0;
};

}  // namespace warpmeter::inline packet
