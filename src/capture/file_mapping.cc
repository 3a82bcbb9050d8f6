#include "capture/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace warpmeter {

std::shared_ptr<const FileMapping> FileMapping::map(int fd, std::uint64_t size) {
  const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return nullptr;
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, own, 0);
  if (data == MAP_FAILED) {
    close(own);
    return nullptr;
  }
  madvise(data, size, MADV_SEQUENTIAL);
  const auto mapping = std::shared_ptr<const FileMapping>(new FileMapping(static_cast<std::uint8_t*>(data), size, own));
  return mapping->guard_->works() ? mapping : nullptr;
}

std::shared_ptr<const FileMapping> FileMapping::of_memory(const std::uint8_t* data, std::uint64_t size) {
  return std::shared_ptr<const FileMapping>(new FileMapping(data, size));
}

FileMapping::~FileMapping() {
  if (fd_ < 0) return;
  guard_.reset();  // before anybody else can be given these addresses
  munmap(const_cast<std::uint8_t*>(data_), size_);
  close(fd_);
}

std::uint64_t FileMapping::size_now() const {
  struct stat status {};
  return fd_ >= 0 && fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : size_;
}

std::uint64_t FileMapping::intact() const {
  return fd_ < 0 ? size_ : std::min({size_, size_now(), guard_->missing_from()});
}

bool FileMapping::grew() const { return size_now() > size_; }

void FileMapping::drop_pages(std::uint64_t from, std::uint64_t until) const {
  if (fd_ >= 0) madvise(const_cast<std::uint8_t*>(data_) + from, until - from, MADV_DONTNEED);
}

void FileMapping::read_ahead(std::uint64_t bytes) const {
  if (fd_ >= 0) madvise(const_cast<std::uint8_t*>(data_), std::min(bytes, size_), MADV_WILLNEED);
}

}  // namespace warpmeter
