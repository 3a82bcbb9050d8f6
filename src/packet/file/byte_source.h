// A file's bytes as a window that only moves forward. Files and pipes are read, and compressed files unpacked, into
// buffers that are reused once no frame points into them. Where the system gives no more of one, that is a ReadError.
//
// Threads: one reader at a time; abandon() by any. What lend_to() handed out keeps the bytes alive wherever it travels.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "packet/file/trace_findings.h"
#include "warpmeter/frame.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

// The system gives no more of an input, though there may be more: a disk fails (EIO), a process has too many files open
// (EMFILE). That says nothing of what is in the file, so it is no damage, and no end.
class ReadError : public Error {
 public:
  using Error::Error;
};

// There is no such file, or none any more.
class NoSuchFile : public Error {
 public:
  using Error::Error;
};

inline UnreadableFile unreadable_file(const std::string& name, const Error& error) {
  return {name, error.what(), dynamic_cast<const NoSuchFile*>(&error) != nullptr};
}

inline bool is_read_error(const Error& error) { return dynamic_cast<const ReadError*>(&error) != nullptr; }

// The line for users. `name`: of the input.
inline std::string read_error_text(const std::string& name, int error, std::uint64_t offset) {
  std::string text = name + ": " + std::strerror(error);
  if (error == EMFILE || error == ENFILE) text += " (ulimit -n allows more)";
  if (offset > 0) text += "; what lies behind byte " + std::to_string(offset) + " could not be read";
  return text;
}

class RegularFile;

class ByteSource {
 public:
  using Leases = std::vector<Lease>;

  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // The window: [at, at + left). `offset` is that of `at` in the file, unpacked if it is compressed.
  const std::uint8_t* at() const { return at_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint64_t offset() const { return offset_; }
  void advance(std::size_t bytes) {
    at_ += bytes;
    offset_ += bytes;
  }

  // Makes the window at least `bytes` long, perhaps moving it; false if the file ends before. Bytes still left stay.
  bool need(std::size_t bytes) { return left() >= bytes || grow(bytes); }

  // Passes over bytes that nobody wants to see, without holding them; false if the file ends before. What it shows
  // after that is lent to nobody.
  virtual bool skip(std::uint64_t bytes);

  // From here on `leases` (null: nobody) is given a share of all bytes that the window shows.
  virtual void lend_to(Leases* leases) = 0;

  // Of the file as it lies on the disk, in bytes: all of it (0 if nobody knows before the end), and what has been
  // taken.
  virtual std::uint64_t size() const = 0;
  virtual std::uint64_t consumed() const { return offset_; }

  // Why the bytes ended before their time; empty if they did not. Valid once need() has failed, perhaps
  // earlier.
  virtual std::string broken() const { return {}; }

  // Has the file got longer than it was when it was opened?
  virtual bool grew() const { return false; }

  // What to say of something that need() found to be cut short: `what`, and what is known of the reason.
  std::string cut_text(const std::string& what) const;

  // "gzip", ...: what is taken off; empty if nothing is.
  virtual std::string compression() const { return {}; }

  // Gets the next bytes ready beside whatever the caller does now.
  virtual void read_ahead() {}

  // Holds no descriptor until more is needed, and less memory from here on.
  virtual void park() {}

  // Nobody wants the rest: need() that waits for it returns false soon, and so does every later one that would wait.
  virtual void abandon() {}

  // The file itself, if it is a regular one; otherwise null. What is read there moves nothing here.
  virtual std::shared_ptr<const RegularFile> file() const { return nullptr; }

 protected:
  ByteSource() = default;
  virtual bool grow(std::size_t bytes) = 0;

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint64_t offset_ = 0;
};

// Opens a file, or standard input for "-". A pipe gives up waiting (as if it had ended) once *stop is true.
// Throws Error if the file cannot be opened or read, NoSuchFile if it is not there.
std::unique_ptr<ByteSource> open_byte_source(const std::string& path, const std::atomic<bool>& stop);

}  // namespace warpmeter::inline packet
