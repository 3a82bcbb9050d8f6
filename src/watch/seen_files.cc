#include "watch/seen_files.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace warpmeter {
namespace {

bool is_unchanged(const SeenFile& a, const SeenFile& b) { return a.size == b.size && a.changed_ns == b.changed_ns; }

}  // namespace

const SeenFile* SeenFiles::find(const SeenFile& file) const {
  if (const auto found = by_number_.find(file.number); found != by_number_.end()) {
    const SeenFile& seen = found->second;
    const bool same_packets = file.first_ns && file.first_ns == seen.first_ns;
    if (same_packets || (!file.first_ns && is_unchanged(seen, file))) return &seen;
  }
  if (!file.first_ns) return nullptr;
  const auto name = by_name_.find(file.name);
  if (name == by_name_.end()) return nullptr;
  const auto alike = by_number_.find(name->second);
  if (alike == by_number_.end()) return nullptr;
  const SeenFile& seen = alike->second;
  return seen.name == file.name && seen.size == file.size && seen.first_ns == file.first_ns ? &seen : nullptr;
}

void SeenFiles::add(const SeenFile& file) {
  by_number_.insert_or_assign(file.number, file);
  by_name_.insert_or_assign(file.name, file.number);
}

void SeenFiles::keep_those_in(int folder) {
  std::erase_if(by_number_, [&](const auto& entry) {
    const SeenFile& seen = entry.second;
    struct stat status {};
    return fstatat(folder, seen.name.c_str(), &status, 0) != 0 || status.st_ino != seen.number;
  });
  std::erase_if(by_name_, [&](const auto& entry) { return !by_number_.contains(entry.second); });
}

std::optional<SeenFile> look_at_entry(int folder, const std::string& name) {
  struct stat status {
  }, link{};
  if (fstatat(folder, name.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const bool is_link = fstatat(folder, name.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode);
  return SeenFile{.name = name,
                  .number = status.st_ino,
                  .size = static_cast<std::uint64_t>(status.st_size),
                  .changed_ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec,
                  .is_link = is_link};
}

}  // namespace warpmeter
