// A regular file mapped into memory, whole, for as long as anybody shares it. Immutable; any thread may read, and may
// give pages back: reading a dropped page again is slow, not wrong.
#pragma once

#include <cstdint>
#include <memory>

namespace warpmeter {

class FileMapping {
 public:
  // Null if the file cannot be mapped.
  static std::shared_ptr<const FileMapping> map(int fd, std::uint64_t size);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::uint64_t size() const { return size_; }

  // Gives the pages of these bytes back to the system. Multiples of 64 KiB.
  void drop_pages(std::uint64_t from, std::uint64_t until) const;

 private:
  FileMapping(std::uint8_t* data, std::uint64_t size) : data_(data), size_(size) {}
  std::uint8_t* const data_;
  const std::uint64_t size_;
};

}  // namespace warpmeter
