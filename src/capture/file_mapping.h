// A regular file mapped into memory, whole, for as long as anybody shares it. Immutable; any thread may read, and may
// give pages back: reading a dropped page again is slow, not wrong. The file may be changed by others meanwhile: bytes
// that it has lost read as zeros (or as what they were), and intact() tells.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "capture/mapping_guard.h"

namespace warpmeter {

class FileMapping {
 public:
  // Does not take over `fd`. Null if the file cannot be mapped.
  static std::shared_ptr<const FileMapping> map(int fd, std::uint64_t size);
  // A file that lies in memory already. The bytes must outlive it, and are not given back.
  static std::shared_ptr<const FileMapping> of_memory(const std::uint8_t* data, std::uint64_t size);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

  // What the file still holds of its first size() bytes: less than that if it shrank.
  std::uint64_t intact() const;
  // Does the file hold more than size() by now?
  bool grew() const;

  // Gives the pages of these bytes back to the system. Multiples of 64 KiB.
  void drop_pages(std::uint64_t from, std::uint64_t until) const;

  // Has the system read the first `bytes` beside whatever the caller does now.
  void read_ahead(std::uint64_t bytes) const;

 private:
  FileMapping(const std::uint8_t* data, std::uint64_t size) : data_(data), size_(size) {}
  FileMapping(const std::uint8_t* data, std::uint64_t size, int fd) : data_(data), size_(size), fd_(fd) {
    guard_.emplace(data, size);
  }
  std::uint64_t size_now() const;

  const std::uint8_t* const data_;
  const std::uint64_t size_;
  const int fd_ = -1;                  // -1: nothing is mapped
  std::optional<MappingGuard> guard_;  // of what is mapped
};

// Why a file that changed ended where it did.
inline constexpr const char* kShrank = "the file shrank while it was read";
inline constexpr const char* kStillWritten = "the file was still being written";

}  // namespace warpmeter
