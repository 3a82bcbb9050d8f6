#include "capture/mapped_file.h"

#include <unistd.h>

#include "capture/file_mapping.h"

namespace warpmeter {

std::unique_ptr<MappedFile> MappedFile::map(int fd, std::uint64_t size) {
  auto mapping = FileMapping::map(fd, size);
  if (!mapping) return nullptr;
  auto file = std::unique_ptr<MappedFile>(new MappedFile(std::move(mapping)));
  if (const off_t position = lseek(fd, 0, SEEK_CUR); position > 0 && static_cast<std::uint64_t>(position) <= size) {
    file->advance(static_cast<std::size_t>(position));  // standard input that somebody has begun to read
  }
  return file;
}

MappedFile::MappedFile(std::shared_ptr<const FileMapping> mapping) : mapping_(std::move(mapping)) {
  at_ = mapping_->data();
  end_ = mapping_->data() + mapping_->size();
}

void MappedFile::lend_to(Owners* owners) {
  owners->push_back(mapping_);
  const PagesBehind::Range due = behind_.passed(offset_);
  if (due.until > due.from) mapping_->drop_pages(due.from, due.until);
}

std::uint64_t MappedFile::size() const { return mapping_->size(); }

}  // namespace warpmeter
