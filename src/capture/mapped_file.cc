#include "capture/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace warpmeter {
namespace {

// Frames of blocks in flight may lie this far behind. Reading a dropped page again is slow, not wrong.
constexpr std::uint64_t kKeepBehind = 64 << 20;
constexpr std::uint64_t kDropStep = 64 << 20;

}  // namespace

struct MappedFile::Mapping {
  std::uint8_t* data;
  std::uint64_t size;
  ~Mapping() { munmap(data, size); }
};

std::unique_ptr<MappedFile> MappedFile::map(int fd, std::uint64_t size) {
  void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return nullptr;
  madvise(data, size, MADV_SEQUENTIAL);
  auto mapping = std::make_shared<Mapping>();
  mapping->data = static_cast<std::uint8_t*>(data);
  mapping->size = size;
  auto file = std::unique_ptr<MappedFile>(new MappedFile(std::move(mapping)));
  if (const off_t position = lseek(fd, 0, SEEK_CUR); position > 0 && static_cast<std::uint64_t>(position) <= size) {
    file->advance(static_cast<std::size_t>(position));  // standard input that somebody has begun to read
  }
  return file;
}

MappedFile::MappedFile(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {
  at_ = mapping_->data;
  end_ = mapping_->data + mapping_->size;
}

void MappedFile::lend_to(Owners* owners) {
  owners->push_back(mapping_);
  if (offset_ > dropped_ + kDropStep + kKeepBehind) drop_pages_behind();
}

void MappedFile::drop_pages_behind() {
  const std::uint64_t until = (offset_ - kKeepBehind) / kDropStep * kDropStep;
  madvise(mapping_->data + dropped_, until - dropped_, MADV_DONTNEED);
  dropped_ = until;
}

std::uint64_t MappedFile::size() const { return mapping_->size; }

}  // namespace warpmeter
