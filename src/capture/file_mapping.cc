#include "capture/file_mapping.h"

#include <sys/mman.h>

namespace warpmeter {

std::shared_ptr<const FileMapping> FileMapping::map(int fd, std::uint64_t size) {
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return nullptr;
  madvise(data, size, MADV_SEQUENTIAL);
  return std::shared_ptr<const FileMapping>(new FileMapping(static_cast<std::uint8_t*>(data), size));
}

FileMapping::~FileMapping() { munmap(data_, size_); }

void FileMapping::drop_pages(std::uint64_t from, std::uint64_t until) const {
  madvise(data_ + from, until - from, MADV_DONTNEED);
}

}  // namespace warpmeter
