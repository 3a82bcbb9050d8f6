#include "capture/mapped_file.h"

#include <unistd.h>

#include <algorithm>

#include "capture/file_mapping.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kAhead = 4 << 20;

}  // namespace

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
  if (const std::uint64_t intact = mapping_->intact(); intact < mapping_->size()) {
    end_ = std::max(at_, std::min(end_, mapping_->data() + intact));
  }
  const PagesBehind::Range due = behind_.passed(offset_);
  if (due.until > due.from) mapping_->drop_pages(due.from, due.until);
}

std::uint64_t MappedFile::size() const { return mapping_->size(); }

std::string MappedFile::broken() const { return mapping_->intact() < mapping_->size() ? kShrank : ""; }

bool MappedFile::grew() const { return mapping_->grew(); }

void MappedFile::read_ahead() { mapping_->read_ahead(kAhead); }

}  // namespace warpmeter
