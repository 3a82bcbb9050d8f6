// A regular file, read at any place for as long as anybody shares it, and a view of a part of it. Immutable; any thread
// may read (but for park()). The file may be changed by others meanwhile: bytes that it has lost, or that the disk no
// longer gives, are not made up, and problem() tells.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/files/descriptor.h"
#include "packet/file/buffer_pool.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

class RegularFile {
 public:
  // `size`: its bytes now; what comes later is no part of it. `path`: where it can be opened again; empty: nowhere.
  RegularFile(Descriptor file, std::uint64_t size, std::string path = {});
  // A file that lies in memory already. The bytes must outlive it.
  RegularFile(const std::uint8_t* data, std::uint64_t size) : data_(data), size_(size) {}
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  std::uint64_t size() const { return size_; }
  // Which of all that this process has ever had.
  std::uint64_t number() const { return number_; }

  // Reads [from, until) to `to` and returns how many bytes came: fewer where the file ends, perhaps before size().
  // REQUIRES: from <= size().
  std::size_t read(std::uint8_t* to, std::uint64_t from, std::uint64_t until) const;

  // Why a read() gave less than size() promised, though the system would have given it: the file was changed. Empty if
  // none did.
  std::string problem() const;
  // What the system said where it gave less, an errno; 0: it did not.
  int error() const;

  // Where the zeros begin that the file ends in; size(): it does not, or it has lost bytes. Looked for once, from the
  // end, past the holes of a sparse file.
  std::uint64_t zeros_from() const;

  // Does the file hold more than size() by now?
  bool grew() const;

  // Closes the file until it is read again, if it can be opened again; where another file lies there by then, that is a
  // problem(). REQUIRES: one thread uses this.
  void park() const;

  // The same file for another thread, with a descriptor of its own. Throws Error.
  std::shared_ptr<const RegularFile> clone() const;

  // Has the system read the first `bytes` beside whatever the caller does now.
  void read_ahead(std::uint64_t bytes) const;

 private:
  static std::uint64_t next_number();
  bool open_again() const;
  bool is_hole(std::uint64_t begin, std::uint64_t end) const;
  std::uint64_t find_zeros() const;
  std::size_t read_some(std::uint8_t* to, std::uint64_t from, std::size_t bytes) const;  // 0: nothing more comes

  mutable Descriptor file_;                   // none: it lies in memory, or is parked
  const std::uint8_t* const data_ = nullptr;  // if so
  const std::uint64_t size_;
  const std::uint64_t number_ = next_number();
  const std::string path_ = {};
  std::uint64_t device_ = 0, inode_ = 0;    // where there is a path
  mutable std::atomic<int> error_ = kNone;  // of the first read() that gave less: an errno, 0 = the file ends earlier
  mutable std::once_flag zeros_looked_for_;
  mutable std::uint64_t zeros_from_ = 0;
  static constexpr int kNone = -1, kOther = -2;  // kOther: another file lies at its path
};

// Why a file that changed ended where it did.
inline constexpr const char* kShrank = "the file shrank while it was read";
inline constexpr const char* kReplaced = "the file was replaced while it was read";
inline constexpr const char* kStillWritten = "the file was still being written";

// Bytes [begin, end) of a file.
struct FileBytes {
  const std::uint8_t* data;  // where the first of them lies
  std::uint64_t begin, end;
  bool last;  // the file ends with them, as far as it can be read

  const std::uint8_t* at(std::uint64_t offset) const { return data + (offset - begin); }
};

// A few hundred KiB of a file, read to where they stay in the cache of the core that looks at them.
//
// Threads: one owner.
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
